/// How much a store takes on at once.
package struct StoreLimits: Sendable {
    /// Flows that share one commit. 128 give 70 × the writes of one each, and the gain flattens;
    /// a failed commit fails them all.
    package var groupFlowsMax = 256
    /// Flows that wait for the writer; at 10,000/s it is 0.4 s of work.
    package var waitingWritesMax = 4_096
    /// Queries that wait for a reader.
    package var waitingReadsMax = 4_096
    /// Reader threads, each with its own connection.
    package var readers = 2
    /// How long the writer waits, after a commit that several shared, for as many to come again:
    /// those who were answered need a moment to call anew, and without this every other commit
    /// would carry only the quickest of them. A tenth of a commit's time. How many are expected is
    /// forgotten by a quarter with each commit that fewer shared.
    package var gatheringMax: Duration = .microseconds(250)
    /// What a refused caller is told to wait.
    package var retryAfter: Duration = .milliseconds(250)

    /// The limits for programs.
    package init() {}
}
