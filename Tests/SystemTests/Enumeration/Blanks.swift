import Messages

/// Takes out of answers what no two of one kind have in common; everything else must be the same to
/// the byte. A text keeps its length.
enum Blanks {
    /// How long to wait, which gets shorter while one asks.
    static func waits(_ response: inout WireV1.Response) {
        guard let error = response.error else { return }
        response.error?.retryAfterMs = 0
        response.error?.userMessage = String(error.userMessage.filter { !$0.isNumber })
    }

    /// Which code it is, until when it is good and when there is another one.
    static func phoneCode(_ response: inout WireV1.Response) throws {
        guard response.status == 0 else { return }
        var answer = try GatewayV1.RequestPhoneCodeResponse(decoding: response.payload)
        blank(&answer.requestId)
        answer.expiresAtMs = 0
        answer.nextAfterMs = 0
        response.payload = answer.encoded()
    }

    /// The account, its session, and the address, which is another one in each.
    static func signUp(_ response: inout WireV1.Response) throws {
        guard response.status == 0 else { return }
        var answer = try GatewayV1.SignUpWithPasswordResponse(decoding: response.payload)
        if var account = answer.account {
            blank(&account.accountId)
            blank(&account.pendingEmail)
            account.createdAtMs = 0
            answer.account = account
        }
        if var session = answer.session {
            blank(&session.sessionId)
            blank(&session.accessToken)
            blank(&session.refreshToken)
            session.accessExpiresAtMs = 0
            session.idleExpiresAtMs = 0
            session.expiresAtMs = 0
            session.serverTimeMs = 0
            answer.session = session
        }
        response.payload = answer.encoded()
    }

    private static func blank(_ text: inout String) {
        text = String(repeating: "x", count: text.utf8.count)
    }
}
