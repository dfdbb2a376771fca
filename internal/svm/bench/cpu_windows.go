package main

import "syscall"

// cpu returns the seconds that all threads have run.
func cpu() (float64, error) {
	process, err := syscall.GetCurrentProcess()
	if err != nil {
		return 0, err
	}
	var created, ended, kernel, user syscall.Filetime
	if err := syscall.GetProcessTimes(process, &created, &ended, &kernel, &user); err != nil {
		return 0, err
	}
	seconds := func(t syscall.Filetime) float64 { return float64(int64(t.HighDateTime)<<32|int64(t.LowDateTime)) / 1e7 } // of 100 ns
	return seconds(kernel) + seconds(user), nil
}
