import CCurl

/// Client for outgoing mail and HTTP. libcurl runs on one thread of its own, so that a caller's
/// threads never block.
package final class OutboundClient: Sendable {
    /// Limits on the resources of a client.
    package struct Limits: Sendable {
        /// The largest number of running and waiting transfers. Further ones fail with `.busy`.
        package let transfersMax: Int
        /// The largest number of concurrent connections to all hosts.
        package let connectionsMax: Int

        /// The limits. Both are at least 1.
        package init(transfersMax: Int, connectionsMax: Int) {
            self.transfersMax = max(1, transfersMax)
            self.connectionsMax = max(1, connectionsMax)
        }
    }

    /// The system has no memory or no thread available for libcurl.
    package struct Unavailable: Error {}

    private let queue: TransferQueue

    /// Starts the thread.
    /// - Throws: `Unavailable`.
    package init(limits: Limits) throws(Unavailable) {
        guard Self.isLibraryReady, let raw = curl_multi_init() else { throw Unavailable() }
        let multi = TransferQueue.Multi(raw: raw)
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

    /// Cancels all transfers immediately and ends the thread. Returns when the thread has ended,
    /// which a server that stalls can delay until its transfer times out.
    package func close() async {
        await withCheckedContinuation { continuation in
            queue.close { continuation.resume() }
        }
    }

    /// Runs one transfer, and cancels it when the caller's task is cancelled.
    func run(
        _ makeHandle: @escaping TransferQueue.MakeHandle
    ) async -> Result<TransferReport, TransferFailure> {
        let id = queue.announce()
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                queue.submit(id, makeHandle) { continuation.resume(returning: $0) }
            }
        } onCancel: {
            queue.cancel(id)
        }
    }

    /// Initialised once per process, before any handle is created.
    private static let isLibraryReady = ccurl_global_init() == CURLE_OK
}
