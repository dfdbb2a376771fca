#pragma once

#include "pjrt_c_api.h"

// synpoolOpen returns the table of functions of the plugin at path, NULL if it cannot be loaded, or was before.
const PJRT_Api* synpoolOpen(const char* path);

// synpoolWrap returns a copy of api whose clients are made and compile through the functions of wrap.go; NULL if api is of
// another version than the header, or memory is out.
PJRT_Api* synpoolWrap(const PJRT_Api* api);

PJRT_Error* synpoolCreate(const PJRT_Api* api, PJRT_Client_Create_Args* args);
PJRT_Error* synpoolDestroy(const PJRT_Api* api, PJRT_Client_Destroy_Args* args);
PJRT_Error* synpoolCompile(const PJRT_Api* api, PJRT_Client_Compile_Args* args);

// synpoolTrim gives the system back what a compiler has freed: tens of megabytes that malloc would keep.
void synpoolTrim(void);

// synpoolDevice says what a client runs on. Its strings belong to the client.
typedef struct {
  const char* platform;
  size_t platform_size;
  const char* version;
  size_t version_size;
  const char* kind;  // of the first device, such as "NVIDIA H200"
  size_t kind_size;
  int64_t memory;  // bytes that the client may take on the first device; 0 if the plugin does not say
} synpoolDevice;

// synpoolOn sets on to what a client runs on, and reports whether the plugin says so.
bool synpoolOn(const PJRT_Api* api, PJRT_Client* client, synpoolDevice* on);

// synpoolOption writes the value of an option of a client as text of less than size bytes; it reports whether it can.
bool synpoolOption(const PJRT_NamedValue* option, char* text, size_t size);

// synpoolLoad makes an executable of its serialization, for the client of args, and reports whether that worked.
bool synpoolLoad(const PJRT_Api* api, PJRT_Client_Compile_Args* args, const char* bytes, size_t size);

// synpoolSerialize returns the serialization of an executable, which the caller frees; NULL if the plugin makes none.
char* synpoolSerialize(const PJRT_Api* api, PJRT_LoadedExecutable* executable, size_t* size);
