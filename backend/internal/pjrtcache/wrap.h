#include "pjrt_c_api.h"

// synpoolOpen returns the table of functions of the plugin at path, NULL if it cannot be loaded, or was before.
const PJRT_Api* synpoolOpen(const char* path);

// synpoolWrap returns a copy of api whose clients are made and compile through the functions of wrap.go; NULL if api is of
// another version than the header, or memory is out.
PJRT_Api* synpoolWrap(const PJRT_Api* api);

PJRT_Error* synpoolCreate(const PJRT_Api* api, PJRT_Client_Create_Args* args);
PJRT_Error* synpoolDestroy(const PJRT_Api* api, PJRT_Client_Destroy_Args* args);
PJRT_Error* synpoolCompile(const PJRT_Api* api, PJRT_Client_Compile_Args* args);

// synpoolOnCPU reports whether a client is for the CPU.
bool synpoolOnCPU(const PJRT_Api* api, PJRT_Client* client);

// synpoolInt64 returns the value of an option that is a PJRT_NamedValue_kInt64.
int64_t synpoolInt64(const PJRT_NamedValue* option);

// synpoolLoad makes an executable of its serialization, for the client of args, and reports whether that worked.
bool synpoolLoad(const PJRT_Api* api, PJRT_Client_Compile_Args* args, const char* bytes, size_t size);

// synpoolSerialize returns the serialization of an executable, which the caller frees; NULL if the plugin makes none.
char* synpoolSerialize(const PJRT_Api* api, PJRT_LoadedExecutable* executable, size_t* size);
