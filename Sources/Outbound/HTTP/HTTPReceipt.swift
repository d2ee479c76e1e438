import Synchronization

/// The response of a transfer, within its limits. Filled on the curl thread, and read by the caller
/// once the transfer has ended.
///
/// Bounded: libcurl limits the length of one header line, but not the number of lines or of interim
/// responses, so that a server could otherwise exhaust the memory before it has answered.
final class HTTPReceipt: TransferReceiver {
    /// The limit on all heads of one transfer in bytes, interim responses and redirects included.
    private static let headBytesMax = 64 * 1_024

    private struct State {
        var fields = HTTPFields()
        var body: [UInt8] = []
        var headBytes = 0
        var isTooLarge = false
    }

    private let bodyBytesMax: Int
    private let state = Mutex(State())

    init(bodyBytesMax: Int) {
        self.bodyBytesMax = bodyBytesMax
    }

    func take(headLine line: UnsafeRawBufferPointer) -> Bool {
        state.withLock { state in
            state.headBytes += line.count
            guard state.headBytes <= Self.headBytesMax else {
                state.isTooLarge = true
                return false
            }
            // A status line begins another response. The one before was interim, a redirect, or on
            // a connection that was lost.
            if line.starts(with: "HTTP/".utf8) {
                state.fields = HTTPFields()
                state.body = []
            } else if state.body.isEmpty {
                state.fields.add(line)
            }
            return true
        }
    }

    func take(content part: UnsafeRawBufferPointer) -> Bool {
        state.withLock { state in
            guard part.count <= bodyBytesMax - state.body.count else {
                state.isTooLarge = true
                return false
            }
            state.body += part
            return true
        }
    }

    /// Derives the request's result from the end of libcurl's transfer.
    func outcome(_ end: TransferEnd) -> HTTPOutcome {
        switch end {
        case .notRun(let failure): return .failed(failure)
        case .run(let report):
            return state.withLock { state in
                if state.isTooLarge { return .failed(.tooLarge) }
                guard report.isSuccess else { return .failed(report.failure) }
                return .answered(
                    HTTPResponse(status: report.answer, fields: state.fields, body: state.body))
            }
        }
    }
}
