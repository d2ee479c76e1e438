import CCurl
import Cryptography
import Glibc

extension OutboundClient {
    /// Sends one mail to a server, within `timeout` of this call.
    package func send(
        _ mail: SMTPMail, to server: SMTPServer, timeout: Duration
    ) async -> SMTPOutcome {
        let order = TransferOrder(
            terms: server.terms, timeout: timeout, upload: mail.message
        ) { handle throws(CurlRefusal) in
            try handle.set(server)
            try handle.hear(by: SMTPConversation(isInternational: mail.isInternational))
            try handle.set(CURLOPT_MAIL_FROM, mail.sender)
            try handle.set(CURLOPT_MAIL_RCPT, [mail.recipient])
            try handle.setUpload()
        }
        return SMTPOutcome(await run(order), messageBytes: mail.message.count)
    }
}

extension SMTPServer {
    fileprivate var terms: ConnectionTerms {
        ConnectionTerms(
            addresses: addresses, isEncrypted: encryption != .none, trustFile: trustFile)
    }
}

extension EasyHandle {
    /// The time limit for one reply. Most servers reply within a second, but a filter that scans
    /// the whole message may need longer.
    private static let answerSecondsMax = 30

    fileprivate func set(_ server: SMTPServer) throws(CurlRefusal) {
        try set(CURLOPT_URL, server.url)
        try set(CURLOPT_PROTOCOLS_STR, "smtp,smtps")
        try set(CURLOPT_SERVER_RESPONSE_TIMEOUT, Self.answerSecondsMax)
        try set(encryption: server.encryption, trustFile: server.trustFile)
        if let credentials = server.credentials { try set(credentials) }
    }

    private func set(
        encryption: SMTPServer.Encryption, trustFile: String?
    ) throws(CurlRefusal) {
        switch encryption {
        case .none:
            try set(CURLOPT_USE_SSL, Int(CURLUSESSL_NONE.rawValue))
        case .required, .implicit:
            try set(CURLOPT_USE_SSL, Int(CURLUSESSL_ALL.rawValue))
            try set(CURLOPT_SSL_VERIFYPEER, 1)
            try set(CURLOPT_SSL_VERIFYHOST, 2)
            try set(CURLOPT_SSLVERSION, CURL_SSLVERSION_TLSv1_2)
            if let trustFile { try set(CURLOPT_CAINFO, trustFile) }
        }
    }

    private func set(_ credentials: SMTPServer.Credentials) throws(CurlRefusal) {
        // Sends the password with the AUTH command (RFC 4954, 4), which saves a round trip.
        try set(CURLOPT_SASL_IR, 1)
        try set(CURLOPT_USERNAME, credentials.user)
        switch credentials.proof {
        case .password(let password):
            try set(CURLOPT_PASSWORD, password)
        case .tokenFile(let path):
            // Without a token there is no login: reported and retried like a rejected login.
            guard let token = try? SecretFile.readLine(path) else {
                throw CurlRefusal(code: CURLE_LOGIN_DENIED.rawValue)
            }
            try set(CURLOPT_XOAUTH2_BEARER, token)
        }
    }

    private func set(_ option: CURLoption, _ secret: SecretBytes) throws(CurlRefusal) {
        let result = secret.withBytes { secret in
            Result { () throws(CurlRefusal) in try set(option, wiping: secret) }
        }
        try result.get()
    }

    /// libcurl needs a NUL at the end, so a copy with a NUL is made and wiped. libcurl's own copy
    /// exists as long as the handle.
    private func set(
        _ option: CURLoption, wiping secret: UnsafeRawBufferPointer
    ) throws(CurlRefusal) {
        let count = secret.count + 1
        let copy = UnsafeMutableRawPointer.allocate(byteCount: count, alignment: 1)
        defer {
            explicit_bzero(copy, count)
            copy.deallocate()
        }
        let text = UnsafeMutableRawBufferPointer(start: copy, count: count)
        text.copyBytes(from: secret)
        text[secret.count] = 0
        try set(option, zeroTerminated: UnsafeRawBufferPointer(text))
    }
}
