// Package pjrtcache keeps programs compiled by a PJRT plugin in files, so that other clients, in this process or later ones,
// load a program instead of compiling it again.
//
// # Glossary
//
//   - plugin: a shared library that compiles and runs XLA programs through the function table PJRT_Api (pjrt_c_api.h, a copy
//     of OpenXLA's, Apache License 2.0).
//   - client: an instance of a plugin that runs on some devices, with its own threads.
//   - executable: a compiled program. Its serialisation contains the machine code, so results of loaded and compiled
//     programs are bit-identical.
//   - key: the SHA-256 sum of everything that an executable depends on: the plugin's file, this machine's CPUs, XLA_FLAGS,
//     how the client was made, the program and its options; on a CPU the number of threads; on a GPU its kind, its driver
//     and the versions of CUDA.
package pjrtcache
