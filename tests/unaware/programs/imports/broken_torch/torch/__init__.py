"""Not the real one, which would be in the way of a broken one."""

import reasons

reasons.fail()
