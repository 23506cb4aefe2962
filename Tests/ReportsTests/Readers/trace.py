"""Checks trace events as a viewer would and prints how many transfers, slots and names there are."""
import json
import sys

trace = json.load(open(sys.argv[1]))
events = [event for event in trace['traceEvents'] if event['ph'] == 'X']
assert all({'name', 'cat', 'ph', 'ts', 'dur', 'pid', 'tid'} <= event.keys() for event in events)
assert [event['ts'] for event in events] == sorted(event['ts'] for event in events)
lanes = {}
for event in events:
    start, end = lanes.get(event['tid'], (0, 0))
    if event['cat'] == 'phase':
        # The store is after the transfer's end.
        assert start <= event['ts'] and event['ts'] + event['dur'] <= end + 20, event
    else:
        assert event['ts'] >= end, event
        lanes[event['tid']] = (event['ts'], event['ts'] + event['dur'])
names = [event['args']['name'] for event in trace['traceEvents'] if event['ph'] == 'M']
print(len([event for event in events if event['cat'] != 'phase']), sorted(lanes), names)
