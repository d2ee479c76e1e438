/// A store's limits on concurrent work.
package struct StoreLimits: Sendable {
    /// Flows that share one commit. 128 give 70 × the writes of one each, and the gain flattens. A
    /// failed commit fails them all.
    package var groupFlowsMax = 256
    /// Flows that wait for the writer; at 10,000/s that is 0.4 s of work.
    package var waitingWritesMax = 4_096
    /// Queries that wait for a reader.
    package var waitingReadsMax = 4_096
    /// Reader threads, each with its own connection.
    package var readers = 2
    /// How long the writer waits, after a commit that several flows shared, for as many to arrive
    /// again: answered callers need a moment to call again, and without this wait every other
    /// commit would carry only the fastest of them. A tenth of a commit's time. The expected number
    /// decays by a quarter with each smaller commit.
    package var gatheringMax: Duration = .microseconds(250)
    /// The retry delay sent to a refused caller.
    package var retryAfter: Duration = .milliseconds(250)

    /// The limits for programs.
    package init() {}
}
