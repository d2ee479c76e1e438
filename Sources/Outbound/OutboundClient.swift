import CCurl

/// Speaks to the outside world: mail and HTTP. Everything runs on one thread of libcurl's, so a
/// caller's own threads never wait.
package final class OutboundClient: Sendable {
    /// What a client may use of the machine.
    package struct Limits: Sendable {
        /// Transfers that run or wait; one more is `.busy`.
        package let transfersMax: Int
        /// Connections at a time, over all hosts.
        package let connectionsMax: Int

        /// Limits; both at least 1.
        package init(transfersMax: Int, connectionsMax: Int) {
            self.transfersMax = max(1, transfersMax)
            self.connectionsMax = max(1, connectionsMax)
        }
    }

    /// The system has no memory or no thread for libcurl.
    package struct Unavailable: Error {}

    private let queue: TransferQueue

    /// Starts the thread.
    /// - Throws: `Unavailable`.
    package init(limits: Limits) throws(Unavailable) {
        guard Self.isLibraryReady, let raw = curl_multi_init() else { throw Unavailable() }
        let multi = MultiHandle(raw: raw)
        queue = TransferQueue(multi: multi, transfersMax: limits.transfersMax)
        let isLimited = ccurl_multi_set_long(
            raw, CURLMOPT_MAX_TOTAL_CONNECTIONS, limits.connectionsMax)
        guard isLimited == CURLM_OK, CurlThread.start(multi: multi, queue: queue) else {
            curl_multi_cleanup(raw)
            throw Unavailable()
        }
    }

    deinit {
        queue.close(whenClosed: {})
    }

    /// Gives up what runs, at once, and ends the thread; returns when that has ended, which a server
    /// that stalls can put off until its transfer's time is over.
    package func close() async {
        await withCheckedContinuation { continuation in
            queue.close { continuation.resume() }
        }
    }

    /// Runs one transfer to its end; gives it up when the caller's task is cancelled.
    func run(_ order: TransferOrder) async -> TransferEnd {
        let id = queue.announce()
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                queue.submit(id, order) { continuation.resume(returning: $0) }
            }
        } onCancel: {
            queue.cancel(id)
        }
    }

    /// Once for each process, before any handle.
    private static let isLibraryReady = ccurl_global_init() == CURLE_OK
}
