"""Runs programs alone and under Laptime, and compares everything an onlooker could see."""
