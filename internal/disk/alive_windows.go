package disk

import "syscall"

// alive reports whether a process may still run. One that has ended can be opened while somebody holds it.
func alive(pid int) bool {
	const limitedInformation, stillActive = 0x1000, 259 // PROCESS_QUERY_LIMITED_INFORMATION, STILL_ACTIVE
	p, err := syscall.OpenProcess(limitedInformation, false, uint32(pid))
	if err != nil {
		return err == syscall.ERROR_ACCESS_DENIED
	}
	defer syscall.CloseHandle(p)
	var code uint32
	return syscall.GetExitCodeProcess(p, &code) != nil || code == stillActive
}
