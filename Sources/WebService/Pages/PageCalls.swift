import Contracts
import Cryptography
import HTTPTypes
import Messages
import RPC
import ServiceRuntime

/// The calls of the gateway by which forms take effect: public methods, as any app makes them.
/// Their limits count, by the person's address.
struct PageCalls: Sendable {
    private static let timeout = Duration.seconds(10)
    /// How long a download may take.
    private static let streamTimeout = DataExportsDescription.fetchDataExport.timeout

    let deletion: AccountDeletionClient
    let consents: ConsentsClient
    /// On a channel for streams.
    let exports: DataExportsClient
    let auth: AuthClient
    let challenges: SignInChallengesClient
    let factors: SecondFactorsClient
    let passkeys: PasskeysClient
    let sessions: AccountSessionsClient
    let emails: EmailsClient
    let phones: PhoneSignInClient
    private let passwords: PasswordsClient
    let time: any Time

    /// - Parameter streams: another channel to the same gateway: some browsers read slowly.
    init(_ gateway: RPCClient, streams: RPCClient, time: any Time) {
        exports = DataExportsClient(streams)
        deletion = AccountDeletionClient(gateway)
        consents = ConsentsClient(gateway)
        auth = AuthClient(gateway)
        challenges = SignInChallengesClient(gateway)
        factors = SecondFactorsClient(gateway)
        passkeys = PasskeysClient(gateway)
        sessions = AccountSessionsClient(gateway)
        emails = EmailsClient(gateway)
        phones = PhoneSignInClient(gateway)
        passwords = PasswordsClient(gateway)
        self.time = time
    }

    /// Who asks for a page.
    struct Client: Sendable {
        let address: String
        /// The user agent; nil for none.
        let agent: String?
    }

    /// A form that was sent.
    struct Submission: Sendable {
        let page: Page
        let form: PageForm
        let linkToken: String
        /// What the person has entered.
        let input: String
        let client: Client
        let language: Language

        /// The browser.
        var device: GatewayV1.Device { form.device }
    }

    /// What the link of a visit is about. It uses nothing up.
    /// - Throws: `auth/invalid-link` for one that does not work; as `submit`.
    func describe(
        _ token: String, _ purpose: GatewayV1.LinkPurpose, _ context: CallContext
    ) async throws -> PageLink {
        let link = try await auth.describeLink(
            GatewayV1.DescribeLinkRequest(purpose: purpose, token: SecretBytes(token)), context)
        guard link.usable else { throw ServiceError(.invalidLink) }
        let proof: PageLink.Proof =
            link.sessionNeeded ? .session : link.passwordNeeded ? .password : .nothing
        return PageLink(email: link.email, proof: proof)
    }

    /// Does what a form asks for.
    /// - Returns: the result to show.
    /// - Throws: the gateway's `ServiceError`, with sentences in the person's language;
    ///   `CancellationError`.
    func submit(_ submission: Submission) async throws -> PageResult {
        let context = context(submission, "call")
        let device = submission.device
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
            let request = GatewayV1.ResetPasswordRequest(
                token: token, password: SecretBytes(submission.input), device: device)
            do {
                let reset = try await passwords.resetPassword(request, context)
                await signOut(PageSession(reset.session), submission)
            } catch let error as ServiceError where error.code == .sessionEnded {
                // The form was sent twice: the first call has set the password, and the page has
                // signed its session out.
            }
        case .forgotPassword:
            _ = try await passwords.requestPasswordReset(
                GatewayV1.RequestPasswordResetRequest(email: submission.input, device: device),
                context)
        case .deleteAccount:
            _ = try await deletion.requestDeletionLink(
                GatewayV1.RequestDeletionLinkRequest(email: submission.input), context)
        case .keepAccount:
            _ = try await deletion.cancelDeletion(
                GatewayV1.CancelDeletionRequest(linkToken: SecretBytes(token)), context)
        case .notMe:
            _ = try await auth.disownSignIn(
                GatewayV1.DisownSignInRequest(token: SecretBytes(token)), context)
        case .keepSecondFactors:
            _ = try await factors.keepSecondFactors(
                GatewayV1.KeepSecondFactorsRequest(token: SecretBytes(token)), context)
        case .parent:
            guard let answer = ParentAnswer(rawValue: submission.input) else {
                throw ServiceError(.invalidArgument)
            }
            let answered = try await consents.answerParentalConsent(
                GatewayV1.AnswerParentalConsentRequest(
                    token: SecretBytes(token), answer: answer.message), context)
            return answered.result
        case .correctEmail, .yourData, .security:
            // Answered by `correct`, by `PageResponder+Export.swift`, and by the calls of
            // `PageResponder+Security.swift`.
            throw ServiceError(.internalError, detail: "\(submission.page) has no single call")
        }
        return .done
    }

    func context(_ submission: Submission, _ call: String) -> CallContext {
        var metadata = Self.metadata(submission.client, submission.language)
        metadata[Metadata.Key.idempotencyKey] = submission.form.idempotencyKey(
            call, submission.input)
        return CallContext(deadline: time.uptime() + Self.timeout, metadata: metadata)
    }

    /// The same context for a stream, with the time that a download may take.
    func stream(_ context: CallContext) -> CallContext {
        CallContext(deadline: time.uptime() + Self.streamTimeout, metadata: context.metadata)
    }

    /// The context of a call that needs no idempotency key.
    func context(of client: Client, in language: Language) -> CallContext {
        CallContext(
            deadline: time.uptime() + Self.timeout, metadata: Self.metadata(client, language))
    }

    private static func metadata(_ client: Client, _ language: Language) -> Metadata {
        var metadata = Metadata()
        metadata[Metadata.Key.clientAddress] = client.address
        metadata[Metadata.Key.clientAgent] = client.agent
        metadata[Metadata.Key.acceptLanguage] = language.rawValue
        return metadata
    }
}
