import ServiceRuntime
import Testing

@testable import IdentityService

@Suite("G-03: the rule of signing in with a password")
struct SignInRuleTests {
    @Test(
        "G-03: every status with a right and a wrong password gets its error",
        arguments: [
            (nil, false, .invalidCredential), (nil, true, .invalidCredential),
            (.active, false, .invalidCredential), (.active, true, nil),
            (.suspended, false, .invalidCredential), (.suspended, true, .accountDisabled),
            (.deleting, false, .invalidCredential), (.deleting, true, .accountDisabled),
            (.pendingVerification, false, .invalidCredential),
            (.pendingVerification, true, .emailNotVerified),
        ] as [(AccountStatus?, Bool, ErrorCode?)])
    func table(status: AccountStatus?, isRight: Bool, code: ErrorCode?) {
        #expect(SignInRule.refusal(of: status, isPasswordRight: isRight) == code)
    }
}
