import CCurl
import Glibc
import ServiceRuntime

/// The thread on which libcurl runs. It takes transfers from the queue, runs all transfers
/// concurrently with `curl_multi`, and reports the end of each.
///
/// A known limitation of libcurl 7.88: after the last byte of an SMTP message it blocks the thread
/// until the server replies. A server that stalls there delays the other transfers until its own
/// transfer times out, so mails have short timeouts.
final class CurlThread {
    private let multi: TransferQueue.Multi
    private let queue: TransferQueue
    private let sockets = OpenSockets()
    private var running: [UInt64: EasyHandle] = [:]
    private var idsByHandle: [UnsafeMutableRawPointer: UInt64] = [:]

    private init(multi: TransferQueue.Multi, queue: TransferQueue) {
        self.multi = multi
        self.queue = queue
    }

    /// Starts the thread, which ends when the queue is closed. Returns false when the system has no
    /// thread available.
    static func start(multi: TransferQueue.Multi, queue: TransferQueue) -> Bool {
        // It is not joined: `OutboundClient.close` waits for the queue to be closed.
        (try? OSThread { CurlThread(multi: multi, queue: queue).run() }) != nil
    }

    private func run() {
        blockBrokenPipeSignal()
        while true {
            let work = queue.take()
            if work.isClosing { return close() }
            for (id, makeHandle) in work.arrived { begin(id, makeHandle) }
            for id in work.cancelled { end(id, .failure(.cancelled)) }
            var count: Int32 = 0
            curl_multi_perform(multi.raw, &count)
            if endFinished() { continue }
            // Returns early on traffic, on libcurl's own timers and on a wake-up.
            curl_multi_poll(multi.raw, nil, 0, 60_000, nil)
        }
    }

    private func begin(_ id: UInt64, _ makeHandle: TransferQueue.MakeHandle) {
        do throws(CurlRefusal) {
            let handle = try makeHandle(sockets)
            guard curl_multi_add_handle(multi.raw, handle.raw) == CURLM_OK else {
                throw CurlRefusal(code: CURLE_FAILED_INIT)
            }
            running[id] = handle
            idsByHandle[handle.raw] = id
        } catch {
            let isLogin = error.code == CURLE_LOGIN_DENIED
            queue.end(id, .failure(isLogin ? .loginRefused : .invalid))
        }
    }

    /// Reports the ends of finished transfers. Returns true when one of them was restarted.
    private func endFinished() -> Bool {
        var left: Int32 = 0
        var hasBegun = false
        while let message = curl_multi_info_read(multi.raw, &left) {
            guard message.pointee.msg == CURLMSG_DONE, let raw = message.pointee.easy_handle,
                let id = idsByHandle[raw], let handle = running[id]
            else { continue }
            let report = handle.report(ccurl_message_result(message))
            // A connection with other terms works, and belongs to another transfer.
            if !report.isSuccess, !report.isPoolRefused { handle.cutConnection() }
            if report.wantsNewConnection, beginAgain(handle) {
                hasBegun = true
                continue
            }
            end(id, .success(report))
        }
        return hasBegun
    }

    /// Restarts a transfer on a new connection.
    private func beginAgain(_ handle: EasyHandle) -> Bool {
        guard handle.setNewConnection() else { return false }
        curl_multi_remove_handle(multi.raw, handle.raw)
        return curl_multi_add_handle(multi.raw, handle.raw) == CURLM_OK
    }

    private func end(_ id: UInt64, _ result: Result<TransferReport, TransferFailure>) {
        if let handle = running.removeValue(forKey: id) {
            idsByHandle[handle.raw] = nil
            curl_multi_remove_handle(multi.raw, handle.raw)
        }
        queue.end(id, result)
    }

    private func close() {
        // The callers have already received their results.
        for id in Array(running.keys) { end(id, .failure(.closed)) }
        let whenClosed = queue.seal()
        sockets.cutAll()
        curl_multi_cleanup(multi.raw)
        for report in whenClosed { report() }
    }

    /// A write to a closed connection must not kill the process. With SIGPIPE blocked, write(2)
    /// returns EPIPE.
    private func blockBrokenPipeSignal() {
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGPIPE)
        pthread_sigmask(SIG_BLOCK, &signals, nil)
    }
}
