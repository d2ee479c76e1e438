/// The server's side of one conversation (RFC 5321): a line in, what to do about it out.
struct SinkConversation {
    /// What the connection is to do.
    enum Action {
        case say(String)
        case beginTLS
        /// The message follows, until the line with one dot.
        case takeMessage
        case hangUp
    }

    var isEncrypted = false
    /// What came for the mail so far.
    var mail = SMTPSink.Mail()
    private var isLoggedIn = false
    /// An AUTH LOGIN that waits for its next line.
    private var login: [String]?

    mutating func take(
        _ line: String, _ script: SMTPSink.Script, isNew: (SMTPSink.Mail) -> Bool
    ) -> [Action] {
        if login != nil { return goOnWithLogin(line, script) }
        switch line.prefix(4).uppercased() {
        case "EHLO": return greet(script).map(Action.say)
        case "STAR": return script.tls == nil ? [.say("502 no")] : [.say("220 go on"), .beginTLS]
        case "AUTH": return authenticate(line, script)
        case "MAIL":
            if let refusal = refusal(script) { return [.say(refusal)] }
            mail = SMTPSink.Mail(from: line)
            return [.say(script.mail)]
        case "RCPT":
            mail.to = line
            if script.isGreylisting, isNew(mail) { return [.say("451 4.7.1 greylisted")] }
            return [.say(script.recipient)]
        case "DATA":
            return script.data.hasPrefix("354")
                ? [.say(script.data), .takeMessage] : [.say(script.data)]
        case "QUIT": return [.say("221 bye"), .hangUp]
        default: return [.say("250 ok")]
        }
    }

    private func greet(_ script: SMTPSink.Script) -> [String] {
        let offersTLS = script.tls != nil && !isEncrypted
        let capabilities = script.capabilities + (offersTLS ? ["STARTTLS"] : [])
        return capabilities.map { "250-\($0)" } + ["250 SIZE 10000000"]
    }

    private func refusal(_ script: SMTPSink.Script) -> String? {
        if script.demandsTLS, !isEncrypted { return "530 5.7.0 STARTTLS first" }
        if script.logins != nil, !isLoggedIn { return "530 5.7.0 AUTH first" }
        return nil
    }

    private mutating func authenticate(_ line: String, _ script: SMTPSink.Script) -> [Action] {
        guard script.logins != nil else { return [.say(script.auth)] }
        let words = line.split(separator: " ").dropFirst().map(String.init)
        guard words.first?.uppercased() == "LOGIN" else { return judge(words, script) }
        login = words
        return words.count == 1 ? [.say("334 VXNlcm5hbWU6")] : [.say("334 UGFzc3dvcmQ6")]
    }

    private mutating func goOnWithLogin(_ line: String, _ script: SMTPSink.Script) -> [Action] {
        let words = (login ?? []) + [line]
        login = words.count < 3 ? words : nil
        return words.count < 3 ? [.say("334 UGFzc3dvcmQ6")] : judge(words, script)
    }

    private mutating func judge(_ words: [String], _ script: SMTPSink.Script) -> [Action] {
        isLoggedIn = script.logins?.contains(words.joined(separator: " ")) == true
        return [.say(isLoggedIn ? "235 2.7.0 welcome" : "535 5.7.8 wrong")]
    }
}
