import CCurl

extension OutboundClient {
    /// Makes one request, within the terms' time from its arrival here.
    ///
    /// Requests to one server share its connection (HTTP/2 where it is offered). A POST that a used
    /// connection could not carry because the server had closed it is sent again by libcurl on a
    /// new one; any other failure is the caller's to judge.
    package func fetch(_ request: HTTPRequest, _ terms: HTTPTerms) async -> HTTPOutcome {
        guard request.body.count <= HTTPRequest.bodyBytesMax else { return .failed(.invalid) }
        let receipt = HTTPReceipt(bodyBytesMax: terms.bodyBytesMax)
        let order = TransferOrder(
            terms: ConnectionTerms(
                addresses: terms.addresses, isEncrypted: request.url.isEncrypted,
                trustFile: terms.trustFile),
            timeout: terms.timeout, upload: request.body
        ) { handle throws(CurlRefusal) in
            try handle.receive(into: receipt)
            try handle.set(request, terms)
        }
        return receipt.outcome(await run(order))
    }
}

extension EasyHandle {
    /// A connection may be shared by many requests for so long: a server behind a balancer is met
    /// anew, and one that takes requests and answers none is left in the end.
    private static let connectionSecondsMax = 300

    fileprivate func set(_ request: HTTPRequest, _ terms: HTTPTerms) throws(CurlRefusal) {
        let protocols = request.url.isEncrypted ? "https" : "http"
        try set(CURLOPT_URL, request.url.text)
        try set(CURLOPT_PROTOCOLS_STR, protocols)
        try set(CURLOPT_USERAGENT, "Postern")
        // HTTP/2 by ALPN; who comes second waits to learn whether the first one's connection can
        // carry both.
        try set(CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_2TLS)
        try set(CURLOPT_PIPEWAIT, 1)
        try set(CURLOPT_MAXLIFETIME_CONN, Self.connectionSecondsMax)
        if request.url.isEncrypted { try setEncryption(trustFile: terms.trustFile) }
        if request.mayFollow, terms.redirectsMax > 0 {
            // Each of them is dialled under the same policy, and never in clear after https.
            try set(CURLOPT_FOLLOWLOCATION, 1)
            try set(CURLOPT_MAXREDIRS, terms.redirectsMax)
            try set(CURLOPT_REDIR_PROTOCOLS_STR, protocols)
        }
        if case .post = request.method { try setPost() }
        try set(headers: request.headers)
    }

    private func setEncryption(trustFile: String?) throws(CurlRefusal) {
        try set(CURLOPT_SSL_VERIFYPEER, 1)
        try set(CURLOPT_SSL_VERIFYHOST, 2)
        try set(CURLOPT_SSLVERSION, CURL_SSLVERSION_TLSv1_2)
        if let trustFile { try set(CURLOPT_CAINFO, trustFile) }
    }

    private func set(headers: [HTTPHeader]) throws(CurlRefusal) {
        var list: UnsafeMutablePointer<curl_slist>?
        for header in headers {
            guard let longer = header.withLine({ curl_slist_append(list, $0) }) else {
                freeWiped(list)
                throw CurlRefusal(code: CURLE_OUT_OF_MEMORY.rawValue)
            }
            list = longer
        }
        try set(CURLOPT_HTTPHEADER, keeping: list)
    }
}
