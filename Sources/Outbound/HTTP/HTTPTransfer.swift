import CCurl
import Synchronization

extension OutboundClient {
    /// Sends one request, within the terms' timeout from this call.
    ///
    /// Requests to one server share its connection (HTTP/2 where it is offered). libcurl repeats a
    /// POST on a new connection when the server had closed the reused one. All other failures are
    /// left to the caller.
    package func fetch(_ request: HTTPRequest, _ terms: HTTPTerms) async -> HTTPOutcome {
        guard request.body.count <= HTTPRequest.bodyBytesMax else { return .failed(.invalid) }
        let receiver = HTTPResponse.Receiver(bodyBytesMax: terms.bodyBytesMax)
        let result = await run { sockets throws(CurlRefusal) in
            let connection = ConnectionTerms(
                addresses: terms.addresses, isEncrypted: request.url.isEncrypted,
                trustFile: terms.trustFile)
            let handle = try EasyHandle(
                upload: request.body, terms: connection, timeout: terms.timeout, sockets: sockets)
            try handle.receive(into: receiver)
            try handle.set(request, terms)
            return handle
        }
        return receiver.outcome(result)
    }
}

extension EasyHandle {
    /// How long one connection may be reused. A server behind a load balancer is chosen again after
    /// this time, and a connection whose server answers no requests is abandoned.
    private static let connectionSecondsMax = 300

    fileprivate func set(_ request: HTTPRequest, _ terms: HTTPTerms) throws(CurlRefusal) {
        let protocols = request.url.isEncrypted ? "https" : "http"
        try set(CURLOPT_URL, request.url.text)
        try set(CURLOPT_PROTOCOLS_STR, protocols)
        try set(CURLOPT_USERAGENT, "Postern")
        // HTTP/2 by ALPN. A second request waits until it is known whether the first one's
        // connection can carry both.
        try set(CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_2TLS)
        try set(CURLOPT_PIPEWAIT, 1)
        try set(CURLOPT_MAXLIFETIME_CONN, Self.connectionSecondsMax)
        if request.url.isEncrypted { try verifyPeer(trustFile: terms.trustFile) }
        if request.mayFollow, terms.redirectsMax > 0 {
            // Each redirect is checked against the same address policy, and none leads from https
            // to http.
            try set(CURLOPT_FOLLOWLOCATION, 1)
            try set(CURLOPT_MAXREDIRS, terms.redirectsMax)
            try set(CURLOPT_REDIR_PROTOCOLS_STR, protocols)
        }
        if case .post = request.method { try setPost() }
        try set(CURLOPT_HTTPHEADER, request.headers.map(\.line))
    }
}

extension HTTPResponse {
    /// The response of a transfer, within its limits. Filled on the curl thread, and read by the
    /// caller once the transfer has ended.
    ///
    /// Bounded: libcurl limits the length of one header line, but not the number of lines or of
    /// interim responses, so that a server could otherwise exhaust the memory before it has
    /// answered.
    final class Receiver: Sendable {
        /// The limit on all heads of one transfer in bytes, interim responses and redirects
        /// included.
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

        /// Receives one line of a response's head.
        /// - Returns: False to abort the transfer.
        func take(headLine line: UnsafeRawBufferPointer) -> Bool {
            state.withLock { state in
                state.headBytes += line.count
                guard state.headBytes <= Self.headBytesMax else {
                    state.isTooLarge = true
                    return false
                }
                // A status line begins another response. The one before was interim, a redirect,
                // or on a connection that was lost.
                if line.starts(with: "HTTP/".utf8) {
                    state.fields = HTTPFields()
                    state.body = []
                } else if state.body.isEmpty {
                    state.fields.add(line)
                }
                return true
            }
        }

        /// Receives the next part of a response's body.
        /// - Returns: False to abort the transfer.
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
        func outcome(_ result: Result<TransferReport, TransferFailure>) -> HTTPOutcome {
            switch result {
            case .failure(let failure): return .failed(failure)
            case .success(let report):
                return state.withLock { state in
                    if state.isTooLarge { return .failed(.tooLarge) }
                    guard report.isSuccess else { return .failed(report.failure) }
                    return .answered(
                        HTTPResponse(status: report.answer, fields: state.fields, body: state.body))
                }
            }
        }
    }
}
