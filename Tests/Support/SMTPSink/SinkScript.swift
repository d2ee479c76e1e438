package import NIOSSL

extension SMTPSink {
    /// How the sink behaves; change it between mails.
    package struct Script: Sendable {
        /// What replaces the answer to the message's end.
        package enum Ending: Sendable {
            case answer(String)
            case drop
            case stall
            /// Answers after the peer's next command, or its hanging up.
            case late(String)
        }

        package var greeting = "220 sink ESMTP"
        package var capabilities = ["8BITMIME", "SMTPUTF8"]
        /// The answer to AUTH, unless `logins` says who may.
        package var auth = "235 welcome"
        package var mail = "250 ok"
        package var recipient = "250 ok"
        package var data = "354 go on"
        package var hangsUpAfterMail = false
        package var ending = Ending.answer("250 taken")
        /// Offers STARTTLS, or speaks TLS from the first byte.
        package var tls: NIOSSLContext?
        /// Whether TLS begins with the connection (RFC 8314), not with STARTTLS.
        package var isTLSImplicit = false
        /// Takes mail on encrypted connections only.
        package var demandsTLS = false
        /// Takes mail from these only: `PLAIN base64`, `LOGIN base64 base64`, `XOAUTH2 base64`.
        package var logins: [String]?
        /// Refuses each pair of sender and recipient once.
        package var isGreylisting = false
        /// Waits so long before each answer.
        package var answerMilliseconds: Int64 = 0
        /// Whether to record the mails' bytes; otherwise they are only counted.
        package var storesMails = true

        package init() {}
    }

    /// One mail as it came in.
    package struct Mail: Sendable {
        package var from = ""
        package var to = ""
        package var bytes: [UInt8] = []
    }
}
