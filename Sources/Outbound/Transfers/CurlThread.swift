import CCurl
import Glibc

/// The one thread on which libcurl runs: it takes orders from the queue, drives all transfers at
/// once with `curl_multi`, and tells each its end.
///
/// A known weakness of libcurl 7.88: after an SMTP message's last byte it waits for the server's
/// answer without giving the thread back. A server that stalls there holds up the other transfers
/// until its own deadline, so mails are given short ones.
final class CurlThread {
    private let multi: MultiHandle
    private let queue: TransferQueue
    private let sockets = OpenSockets()
    private var running: [UInt64: EasyHandle] = [:]
    private var idsByHandle: [UnsafeMutableRawPointer: UInt64] = [:]

    private init(multi: MultiHandle, queue: TransferQueue) {
        self.multi = multi
        self.queue = queue
    }

    /// Starts the thread, which ends when the queue is closed; false when the system has no more.
    static func start(multi: MultiHandle, queue: TransferQueue) -> Bool {
        let thread = CurlThread(multi: multi, queue: queue)
        let owner = Unmanaged.passRetained(thread)
        var id = pthread_t()
        let result = pthread_create(
            &id, nil,
            { owner in
                if let owner { Unmanaged<CurlThread>.fromOpaque(owner).takeRetainedValue().run() }
                return nil
            }, owner.toOpaque())
        guard result == 0 else {
            owner.release()
            return false
        }
        pthread_detach(id)
        return true
    }

    private func run() {
        blockBrokenPipeSignal()
        while true {
            let work = queue.take()
            if work.isClosing { return close() }
            for (id, order) in work.arrived { begin(id, order) }
            for id in work.cancelled { end(id, .notRun(.cancelled)) }
            var count: Int32 = 0
            curl_multi_perform(multi.raw, &count)
            if endFinished() { continue }
            // Returns early on traffic, on libcurl's own timers and on a wake-up.
            curl_multi_poll(multi.raw, nil, 0, 60_000, nil)
        }
    }

    private func begin(_ id: UInt64, _ order: TransferOrder) {
        do throws(CurlRefusal) {
            let handle = try EasyHandle(
                upload: order.upload, terms: order.terms, timeout: order.timeout,
                sockets: sockets)
            try order.configure(handle)
            guard curl_multi_add_handle(multi.raw, handle.raw) == CURLM_OK else {
                throw CurlRefusal(code: CURLE_FAILED_INIT.rawValue)
            }
            running[id] = handle
            idsByHandle[handle.raw] = id
        } catch {
            let isLogin = error.code == CURLE_LOGIN_DENIED.rawValue
            queue.end(id, .notRun(isLogin ? .loginRefused : .invalid))
        }
    }

    /// Tells the finished transfers their ends; true when one of them has begun again.
    private func endFinished() -> Bool {
        var left: Int32 = 0
        var hasBegun = false
        while let message = curl_multi_info_read(multi.raw, &left) {
            guard message.pointee.msg == CURLMSG_DONE, let raw = message.pointee.easy_handle,
                let id = idsByHandle[raw], let handle = running[id]
            else { continue }
            let report = handle.report(ccurl_message_result(message))
            // A connection of other terms is sound, and its owner's.
            if !report.isSuccess, !report.isPoolRefused { handle.cutConnection() }
            if report.wantsNewConnection, beginAgain(handle) {
                hasBegun = true
                continue
            }
            end(id, .run(report))
        }
        return hasBegun
    }

    /// The same transfer on a connection of its own.
    private func beginAgain(_ handle: EasyHandle) -> Bool {
        guard handle.setNewConnection() else { return false }
        curl_multi_remove_handle(multi.raw, handle.raw)
        return curl_multi_add_handle(multi.raw, handle.raw) == CURLM_OK
    }

    private func end(_ id: UInt64, _ end: TransferEnd) {
        if let handle = running.removeValue(forKey: id) {
            idsByHandle[handle.raw] = nil
            curl_multi_remove_handle(multi.raw, handle.raw)
        }
        queue.end(id, end)
    }

    private func close() {
        // Their callers have been told.
        for id in Array(running.keys) { end(id, .notRun(.closed)) }
        let whenClosed = queue.seal()
        sockets.cutAll()
        curl_multi_cleanup(multi.raw)
        for tell in whenClosed { tell() }
    }

    /// A peer that closes while we write must not end the process; write(2) says EPIPE instead.
    private func blockBrokenPipeSignal() {
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGPIPE)
        pthread_sigmask(SIG_BLOCK, &signals, nil)
    }
}
