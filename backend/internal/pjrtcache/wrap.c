//go:build linux && cgo && !noxla && (amd64 || arm64)

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <string.h>

#include "wrap.h"
#include "_cgo_export.h"

const PJRT_Api* synpoolOpen(const char* path) {
  // One that runs already has read its flags, which may have been others.
  void* handle = dlopen(path, RTLD_LAZY | RTLD_NOLOAD);
  if (handle != NULL) {
    dlclose(handle);
    return NULL;
  }
  handle = dlopen(path, RTLD_LAZY | RTLD_LOCAL);
  if (handle == NULL) return NULL;
  const PJRT_Api* (*get)(void);
  *(void**)&get = dlsym(handle, "GetPjrtApi");
  return get == NULL ? NULL : get();
}

PJRT_Api* synpoolWrap(const PJRT_Api* api) {
  if (api->pjrt_api_version.major_version != PJRT_API_MAJOR ||
      api->struct_size < PJRT_STRUCT_SIZE(PJRT_Api, PJRT_Executable_DeserializeAndLoad)) return NULL;
  // What an older plugin does not have is NULL to its caller.
  PJRT_Api* wrapped = calloc(1, api->struct_size > sizeof(PJRT_Api) ? api->struct_size : sizeof(PJRT_Api));
  if (wrapped == NULL) return NULL;
  memcpy(wrapped, api, api->struct_size);
  wrapped->PJRT_Client_Create = synpoolWrappedCreate;
  wrapped->PJRT_Client_Destroy = synpoolWrappedDestroy;
  wrapped->PJRT_Client_Compile = synpoolWrappedCompile;
  return wrapped;
}

PJRT_Error* synpoolCreate(const PJRT_Api* api, PJRT_Client_Create_Args* args) { return api->PJRT_Client_Create(args); }
PJRT_Error* synpoolDestroy(const PJRT_Api* api, PJRT_Client_Destroy_Args* args) { return api->PJRT_Client_Destroy(args); }
PJRT_Error* synpoolCompile(const PJRT_Api* api, PJRT_Client_Compile_Args* args) { return api->PJRT_Client_Compile(args); }

void synpoolTrim(void) {
#ifdef __GLIBC__
  malloc_trim(0);
#endif
}

// failed reports whether there is an error, and frees it.
static bool failed(const PJRT_Api* api, PJRT_Error* error) {
  if (error == NULL) return false;
  PJRT_Error_Destroy_Args args = {.struct_size = PJRT_Error_Destroy_Args_STRUCT_SIZE, .error = error};
  api->PJRT_Error_Destroy(&args);
  return true;
}

bool synpoolOn(const PJRT_Api* api, PJRT_Client* client, synpoolDevice* on) {
  PJRT_Client_PlatformName_Args name = {.struct_size = PJRT_Client_PlatformName_Args_STRUCT_SIZE, .client = client};
  PJRT_Client_PlatformVersion_Args version = {.struct_size = PJRT_Client_PlatformVersion_Args_STRUCT_SIZE, .client = client};
  PJRT_Client_AddressableDevices_Args devices = {.struct_size = PJRT_Client_AddressableDevices_Args_STRUCT_SIZE, .client = client};
  if (failed(api, api->PJRT_Client_PlatformName(&name)) || failed(api, api->PJRT_Client_PlatformVersion(&version)) ||
      failed(api, api->PJRT_Client_AddressableDevices(&devices)) || devices.num_addressable_devices == 0) return false;
  PJRT_Device* device = devices.addressable_devices[0];
  PJRT_Device_GetDescription_Args description = {.struct_size = PJRT_Device_GetDescription_Args_STRUCT_SIZE, .device = device};
  if (failed(api, api->PJRT_Device_GetDescription(&description))) return false;
  PJRT_DeviceDescription_Kind_Args kind = {
      .struct_size = PJRT_DeviceDescription_Kind_Args_STRUCT_SIZE,
      .device_description = description.device_description,
  };
  if (failed(api, api->PJRT_DeviceDescription_Kind(&kind))) return false;
  PJRT_Device_MemoryStats_Args memory = {.struct_size = PJRT_Device_MemoryStats_Args_STRUCT_SIZE, .device = device};
  bool says = !failed(api, api->PJRT_Device_MemoryStats(&memory)) && memory.bytes_limit_is_set;
  *on = (synpoolDevice){
      .platform = name.platform_name, .platform_size = name.platform_name_size,
      .version = version.platform_version, .version_size = version.platform_version_size,
      .kind = kind.device_kind, .kind_size = kind.device_kind_size,
      .memory = says ? memory.bytes_limit : 0,
  };
  return true;
}

bool synpoolOption(const PJRT_NamedValue* option, char* text, size_t size) {
  int n = -1;
  switch (option->type) {
    case PJRT_NamedValue_kString:
      n = snprintf(text, size, "%.*s", (int)option->value_size, option->string_value);
      break;
    case PJRT_NamedValue_kInt64:
      n = snprintf(text, size, "%lld", (long long)option->int64_value);
      break;
    case PJRT_NamedValue_kFloat:
      n = snprintf(text, size, "%a", option->float_value);
      break;
    case PJRT_NamedValue_kBool:
      n = snprintf(text, size, "%d", option->bool_value);
      break;
    default:
      break;
  }
  return n >= 0 && (size_t)n < size;
}

bool synpoolLoad(const PJRT_Api* api, PJRT_Client_Compile_Args* args, const char* bytes, size_t size) {
  PJRT_Executable_DeserializeAndLoad_Args load = {
      .struct_size = PJRT_Executable_DeserializeAndLoad_Args_STRUCT_SIZE,
      .client = args->client,
      .serialized_executable = bytes,
      .serialized_executable_size = size,
  };
  if (failed(api, api->PJRT_Executable_DeserializeAndLoad(&load))) return false;
  args->executable = load.loaded_executable;
  return true;
}

char* synpoolSerialize(const PJRT_Api* api, PJRT_LoadedExecutable* executable, size_t* size) {
  PJRT_LoadedExecutable_GetExecutable_Args get = {
      .struct_size = PJRT_LoadedExecutable_GetExecutable_Args_STRUCT_SIZE,
      .loaded_executable = executable,
  };
  if (failed(api, api->PJRT_LoadedExecutable_GetExecutable(&get))) return NULL;
  char* bytes = NULL;
  PJRT_Executable_Serialize_Args serialize = {
      .struct_size = PJRT_Executable_Serialize_Args_STRUCT_SIZE,
      .executable = get.executable,
  };
  if (!failed(api, api->PJRT_Executable_Serialize(&serialize))) {
    *size = serialize.serialized_bytes_size;
    if ((bytes = malloc(*size)) != NULL) memcpy(bytes, serialize.serialized_bytes, *size);
    serialize.serialized_executable_deleter(serialize.serialized_executable);
  }
  PJRT_Executable_Destroy_Args destroy = {
      .struct_size = PJRT_Executable_Destroy_Args_STRUCT_SIZE,
      .executable = get.executable,
  };
  failed(api, api->PJRT_Executable_Destroy(&destroy));
  return bytes;
}
