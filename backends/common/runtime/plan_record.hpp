#pragma once
// What an operation's ANALYSE leaves on the host. Every operation derives its own.
struct heron_plan {
    // Defined once per plug-in: an inline one would be merged across the host's instruction set levels.
    virtual ~heron_plan();
};
