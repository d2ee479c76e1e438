import Contracts
import Messages
import RPC
import ServiceRuntime
import Synchronization

/// Completes the errors of sign-ins by what else would do (X-08, `SwitchedOnWays`). The ways that
/// are switched on change only when identity restarts. They are asked for once a minute beside the
/// calls, and kept until the next answer.
///
/// No call waits for them, and none asks: before the first answer errors have no alternatives.
/// Attack: a stranger compares the times of errors. A look into memory takes the same time for each
/// address. Gateways share nothing here: each has its own answer, at most a minute old while
/// identity answers.
final class KnownAlternatives: Sendable {
    /// How often identity is asked.
    private static let askedEvery = Duration.seconds(60)
    /// The time after a failure in which it is not asked again.
    private static let retriedAfter = Duration.seconds(1)
    /// For one call.
    private static let timeout = Duration.seconds(1)

    private let options: any SignInOptionsAPI
    private let time: any Time
    private let known = Mutex<SwitchedOnWays?>(nil)

    /// What `options` has switched on.
    init(_ options: any SignInOptionsAPI, time: any Time) {
        self.options = options
        self.time = time
    }

    /// Asks identity until cancelled.
    func run() async {
        while !Task.isCancelled {
            let hasAnswered = await ask()
            // It throws only if this is cancelled.
            try? await time.sleep(for: hasAnswered ? Self.askedEvery : Self.retriedAfter)
        }
    }

    /// Asks identity once.
    /// - Returns: Whether it has answered.
    @discardableResult
    func ask() async -> Bool {
        let context = CallContext(deadline: time.uptime() + Self.timeout)
        // The ways of the last answer are better than none, whatever the failure is. Health and
        // metrics have it.
        guard let answer = try? await options.getSignInOptions(.init(), context) else {
            return false
        }
        known.withLock { $0 = SwitchedOnWays(answer) }
        return true
    }

    /// What else would do after `attempt` has failed with `code`; empty before the first answer.
    /// - Parameter hidden: What the app that calls does not have (`CallContext.appWithout`).
    func alternatives(
        to attempt: SignInAttempt, after code: ErrorCode, without hidden: Set<SignInWay>
    ) -> [String] {
        known.withLock { $0 }?.without(hidden).alternatives(to: attempt, after: code) ?? []
    }

    /// `error` with what else would do, unless it says so itself.
    private func completed(
        _ error: ServiceError, of attempt: SignInAttempt, _ context: CallContext
    ) -> ServiceError {
        guard error.alternatives.isEmpty else { return error }
        var error = error
        error.alternatives = alternatives(
            to: attempt, after: error.code, without: context.appWithout)
        return error
    }
}

extension KnownAlternatives {
    /// `services`, with alternatives in the errors of sign-ins.
    func completing(
        _ services: [ServiceMethods], auth: AuthHandler, passwords: PasswordsHandler,
        providers: ProvidersHandler, phoneSignIn: PhoneSignInHandler, passkeys: PasskeysHandler,
        guests: GuestsHandler
    ) -> [ServiceMethods] {
        let handlers = [
            handler(
                of: AuthDescription.signInWithPassword, { _ in .password }, auth.signInWithPassword),
            handler(
                of: AuthDescription.signUpWithPassword, { _ in .signUp }, auth.signUpWithPassword),
            handler(
                of: PasswordsDescription.resetPassword, { _ in .resetLink },
                passwords.resetPassword),
            handler(
                of: ProvidersDescription.signInWithProvider,
                { .provider($0.token?.provider ?? "") }, providers.signInWithProvider),
            handler(
                of: PhoneSignInDescription.requestSignInCode, { _ in .phone },
                phoneSignIn.requestSignInCode),
            handler(
                of: PhoneSignInDescription.signInWithPhoneCode, { _ in .phone },
                phoneSignIn.signInWithPhoneCode),
            handler(
                of: PasskeysDescription.signInWithPasskey, { _ in .passkey },
                passkeys.signInWithPasskey),
            handler(of: GuestsDescription.signInAsGuest, { _ in .guest }, guests.signInAsGuest),
        ]
        return services.map { service in handlers.reduce(service) { $0.replacing($1) } }
    }

    /// Serves `method` by `serve`, whose errors get alternatives.
    private func handler<Request: ProtobufMessage, Response: ProtobufMessage>(
        of method: MethodDescription,
        _ attempt: @escaping @Sendable (Request) -> SignInAttempt,
        _ serve: @escaping @Sendable (Request, CallContext) async throws -> Response
    ) -> MethodHandler {
        .async(method) { [self] (request: Request, context: CallContext) async throws -> Response in
            let attempt = attempt(request)
            do {
                return try await serve(request, context)
            } catch let error as ServiceError {
                throw completed(error, of: attempt, context)
            }
        }
    }
}
