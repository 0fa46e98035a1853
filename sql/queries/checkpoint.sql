-- Write out what is dirty; files of the write-ahead log before it are not needed for recovery. May be refused.
CHECKPOINT
