import Messages

/// Removes from responses the values that differ between any two of one kind; all other bytes must
/// be equal. A text keeps its length.
enum Blanks {
    /// The wait before the next attempt, which gets shorter during the test.
    static func waits(_ response: inout WireV1.Response) {
        guard let error = response.error else { return }
        response.error?.retryAfterMs = 0
        response.error?.userMessage = String(error.userMessage.filter { !$0.isNumber })
    }

    /// The id of the code, its expiry, and the time when another one can be requested.
    static func phoneCode(_ response: inout WireV1.Response) throws {
        guard response.status == 0 else { return }
        var answer = try GatewayV1.RequestSignInCodeResponse(decoding: response.payload)
        blank(&answer.requestId)
        answer.expiresAtMs = 0
        answer.nextAfterMs = 0
        response.payload = answer.encoded()
    }

    /// The account, its session, and the address, which is different in each request.
    static func signUp(_ response: inout WireV1.Response) throws {
        guard response.status == 0 else { return }
        var answer = try GatewayV1.SignUpWithPasswordResponse(decoding: response.payload)
        if var account = answer.account {
            blank(&account.accountId)
            blank(&account.pendingEmail)
            // How long after the sign-up the mail was ordered is compared.
            if case .verificationMailSentAtMs(let sent) = account.verificationMail {
                account.verificationMail =
                    .verificationMailSentAtMs(sent - account.createdAtMs)
            }
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
            session.answeredAtMs = 0
            answer.session = session
        }
        response.payload = answer.encoded()
    }

    private static func blank(_ text: inout String) {
        text = String(repeating: "x", count: text.utf8.count)
    }
}
