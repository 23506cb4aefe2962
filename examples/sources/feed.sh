#!/bin/sh
# Lists the files that an RSS feed carries (its enclosures), such as the episodes of a podcast. Needs jq.
#
#   source: {type: command, command: [./feed.sh], options: {url: "https://example.org/podcast.xml"}}
set -eu

# A line that asks for the list has the options; the lines after it are answers to what this script asks for.
while read -r line; do
    case $(printf '%s' "$line" | jq -r '.request // .type') in
    spec)
        echo '{"type":"spec","protocol":1,"name":"feed","options":[{"key":"url","type":"string","required":true,"help":"the URL of the feed"}]}'
        ;;
    list)
        printf '%s' "$line" | jq -c '{type: "request", id: 1, url: .options.url}'
        ;;
    response)
        if ! printf '%s' "$line" | jq -e '.status == 200' >/dev/null; then
            printf '%s' "$line" | jq -c '{type: "error", kind: "transient", message: "the feed: \(.message // .status)"}'
            exit
        fi
        # A line for what is before the first entry, and one for each entry.
        printf '%s' "$line" | jq -r '.body' | tr '\n' ' ' | sed 's/<item[ >]/\n&/g' | jq -Rc '
            def plain: gsub("&lt;"; "<") | gsub("&gt;"; ">") | gsub("&quot;"; "\"") | gsub("&#39;"; "\u0027") | gsub("&amp;"; "&");
            def title: capture("<title[^>]*>(<!\\[CDATA\\[)?(?<text>.*?)(\\]\\]>)?</title>").text // "" | plain;
            if startswith("<item") then
                (capture("<enclosure[^>]*url=\"(?<url>[^\"]*)\"").url | plain) as $url
                | {type: "item", collection: "feed", key: $url, url: $url, title: title}
            else
                {type: "collection", key: "feed", title: title}
            end'
        echo '{"type":"done","complete":true}'
        exit
        ;;
    *)
        echo '{"type":"error","kind":"unsupported","message":"this script knows spec and list"}'
        ;;
    esac
done
