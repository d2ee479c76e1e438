import Contracts
import Cryptography
import HTTPTypes
import Messages
import RPC
import ServiceRuntime

/// The calls of the gateway by which forms take effect: public methods, as any app makes them. Their
/// limits count, by the person's address.
struct PageCalls: Sendable {
    private static let timeout = Duration.seconds(10)

    private let auth: AuthClient
    private let emails: EmailsClient
    private let passwords: PasswordsClient
    private let time: any Time

    init(_ gateway: RPCClient, time: any Time) {
        auth = AuthClient(gateway)
        emails = EmailsClient(gateway)
        passwords = PasswordsClient(gateway)
        self.time = time
    }

    /// A form that was sent.
    struct Submission: Sendable {
        let page: Page
        let form: PageForm
        let linkToken: String
        /// What the person has entered.
        let input: String
        let clientAddress: String
        let language: Language
    }

    /// Does what a form asks for.
    /// - Throws: the gateway's `ServiceError`, with sentences in the person's language;
    ///   `CancellationError`.
    func submit(_ submission: Submission) async throws {
        let context = context(submission, "call")
        let device = GatewayV1.Device(deviceId: submission.form.deviceID, platform: "web")
        let token = submission.linkToken
        switch submission.page {
        case .verifyEmail:
            _ = try await auth.verifyEmail(
                GatewayV1.VerifyEmailRequest(
                    token: token, password: SecretBytes(submission.input), device: device), context)
        case .changeEmail:
            _ = try await emails.confirmEmailChange(
                GatewayV1.ConfirmEmailChangeRequest(
                    token: token, password: SecretBytes(submission.input), device: device), context)
        case .resetPassword:
            let reset = try await passwords.resetPassword(
                GatewayV1.ResetPasswordRequest(
                    token: token, password: SecretBytes(submission.input), device: device), context)
            await signOut(reset.session?.refreshToken ?? "", self.context(submission, "sign-out"))
        case .forgotPassword:
            _ = try await passwords.requestPasswordReset(
                GatewayV1.RequestPasswordResetRequest(email: submission.input, device: device),
                context)
        }
    }

    /// Ends the session that a reset opens: a page has no app to give it to, and it would stay in
    /// the person's list of devices.
    private func signOut(_ refreshToken: String, _ context: CallContext) async {
        // The password is set. The tokens are lost with this response, and the session ends when
        // idle.
        _ = try? await auth.signOut(
            GatewayV1.SignOutRequest(refreshToken: refreshToken), context)
    }

    private func context(_ submission: Submission, _ call: String) -> CallContext {
        var metadata = Metadata()
        metadata[Metadata.Key.clientAddress] = submission.clientAddress
        metadata[Metadata.Key.acceptLanguage] = submission.language.rawValue
        metadata[Metadata.Key.idempotencyKey] = submission.form.idempotencyKey(
            call, submission.input)
        return CallContext(deadline: time.uptime() + Self.timeout, metadata: metadata)
    }
}
