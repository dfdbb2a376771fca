// Package pjrtcache keeps what a PJRT plugin has compiled, in files, so that another client, in this process or in a later
// one, loads a program instead of compiling it again.
//
// # Glossary
//
//   - plugin: a shared library that compiles and runs XLA programs, by the table of functions PJRT_Api
//     (pjrt_c_api.h, a copy of OpenXLA's, Apache License 2.0).
//   - client: a plugin at work on some devices, with threads of its own.
//   - executable: a program as a client compiled it. Its serialised form holds the machine code: what is loaded gives the
//     same bits as what was compiled.
//   - key: the SHA-256 sum of everything that an executable depends on: the plugin's file, this machine's CPUs, XLA_FLAGS,
//     how the client was made and for how many threads, the program and its options.
package pjrtcache
