"""What a program finds around it: arguments, path, flags, hooks, builtins, environment."""

import builtins
import os
import site
import sys
import threading

print(sys.argv[1:], sys.orig_argv[1:] == sys.argv, sys.executable, sys.flags, sys.path)
print(sys.excepthook is sys.__excepthook__, sys.displayhook is sys.__displayhook__)
print(sys.breakpointhook is sys.__breakpointhook__, sys.unraisablehook is sys.__unraisablehook__)
print(sys.stdin is sys.__stdin__, sys.stdout is sys.__stdout__, sys.stderr is sys.__stderr__)
print(sys.getswitchinterval(), sys.getrecursionlimit(), sys.gettrace(), sys.getprofile())
print(sys.getrefcount(object()), sys.get_asyncgen_hooks(), sys.dont_write_bytecode)
print(len(sys.path_hooks), sorted(builtins.__dict__.keys()))
print(sorted(name for name in os.environ if "LAPTIME" not in name))
print(sorted(globals()), __name__, __file__, __spec__, __loader__.__class__, __package__)
print(threading.enumerate()[0].name, len(threading.enumerate()), site.ENABLE_USER_SITE)
print(os.getcwd() == os.path.realpath("."), os.nice(0), os.sched_getscheduler(0))
print(open, print, __import__, id, exec, os.fork, os.register_at_fork, threading.Thread.start)
