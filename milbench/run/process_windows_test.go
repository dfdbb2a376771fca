package run_test

func limitFileSize(uint64) func() { panic("windows has no limit of file sizes") }
