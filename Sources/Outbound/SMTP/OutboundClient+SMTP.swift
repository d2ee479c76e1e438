import CCurl
import Cryptography

extension OutboundClient {
    /// Sends one mail to a server, within `timeout` of this call.
    package func send(
        _ mail: SMTPMail, to server: SMTPServer, timeout: Duration
    ) async -> SMTPOutcome {
        let result = await run { sockets throws(CurlRefusal) in
            let terms = ConnectionTerms(
                addresses: server.addresses, isEncrypted: server.encryption != .none,
                trustFile: server.trustFile)
            let handle = try EasyHandle(
                upload: mail.message, terms: terms, timeout: timeout, sockets: sockets)
            try handle.set(server)
            try handle.follow(SMTPConversation(isInternational: mail.isInternational))
            try handle.set(CURLOPT_MAIL_FROM, mail.sender)
            try handle.set(CURLOPT_MAIL_RCPT, [.cString(mail.recipient, nil)])
            try handle.setUpload()
            return handle
        }
        return SMTPOutcome(result, messageBytes: mail.message.count)
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
        let encryption = server.encryption == .none ? CURLUSESSL_NONE : CURLUSESSL_ALL
        try set(CURLOPT_USE_SSL, Int(encryption.rawValue))
        if server.encryption != .none { try verifyPeer(trustFile: server.trustFile) }
        if let credentials = server.credentials { try set(credentials) }
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
                throw CurlRefusal(code: CURLE_LOGIN_DENIED)
            }
            try set(CURLOPT_XOAUTH2_BEARER, token)
        }
    }
}
