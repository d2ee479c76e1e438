package import Contracts
package import Messages
package import RPC

/// The public flows. It keeps nothing: each flow asks identity, session and limits in turn, and
/// what must never be lost is lost by none of them.
package struct GatewayService: AuthService {
    private let signUp: SignUpWithPassword
    private let signIn: SignInWithPassword
    private let verify: VerifyEmailFlow
    private let refreshFlow: RefreshFlow
    private let signOutFlow: SignOutFlow
    private let checkAuth: CheckAuthStateFlow

    /// A gateway in front of the services.
    package init(
        accounts: any AccountsAPI, sessions: any SessionsAPI, limits: LimitGuard,
        sessionClock: any ClockAPI
    ) {
        signUp = SignUpWithPassword(accounts: accounts, sessions: sessions, limits: limits)
        signIn = SignInWithPassword(accounts: accounts, sessions: sessions, limits: limits)
        verify = VerifyEmailFlow(accounts: accounts, sessions: sessions, limits: limits)
        refreshFlow = RefreshFlow(sessions: sessions)
        signOutFlow = SignOutFlow(sessions: sessions)
        checkAuth = CheckAuthStateFlow(
            accounts: accounts, sessions: sessions, sessionClock: sessionClock)
    }

    package func signUpWithPassword(
        _ request: GatewayV1.SignUpWithPasswordRequest, _ context: CallContext
    ) async throws -> GatewayV1.SignUpWithPasswordResponse {
        try await signUp.run(request, context)
    }

    package func signInWithPassword(
        _ request: GatewayV1.SignInWithPasswordRequest, _ context: CallContext
    ) async throws -> GatewayV1.SignInWithPasswordResponse {
        try await signIn.run(request, context)
    }

    package func verifyEmail(
        _ request: GatewayV1.VerifyEmailRequest, _ context: CallContext
    ) async throws -> GatewayV1.VerifyEmailResponse {
        try await verify.run(request, context)
    }

    package func refresh(
        _ request: GatewayV1.RefreshRequest, _ context: CallContext
    ) async throws -> GatewayV1.RefreshResponse {
        try await refreshFlow.run(request, context)
    }

    package func signOut(
        _ request: GatewayV1.SignOutRequest, _ context: CallContext
    ) async throws -> GatewayV1.SignOutResponse {
        try await signOutFlow.run(request, context)
    }

    package func checkAuthState(
        _ request: GatewayV1.CheckAuthStateRequest, _ context: CallContext
    ) async throws -> GatewayV1.CheckAuthStateResponse {
        try await checkAuth.run(request, context)
    }
}
