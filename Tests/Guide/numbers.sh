#!/bin/sh
echo '{"type":"spec","protocol":1,"name":"numbers"}'
echo '{"type":"collection","key":"numbers","title":"Numbers"}'
for i in $(seq 10); do
    echo '{"type":"item","collection":"numbers","key":"'$i'","url":"https://example.org/'$i'.png","title":"Number '$i'"}'
done
echo '{"type":"done"}'
