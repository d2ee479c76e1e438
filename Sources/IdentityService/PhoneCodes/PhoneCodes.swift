import Contracts
import Logging
package import Messages
package import RPC
import ServiceRuntime

/// Codes to phones: `postern.identity.v1.PhoneCodes` (G-06, I-06, R-02). Each rpc is one file:
/// `PhoneCodeRequest`, `CodeSignIn`, `CodeLink`, `CodeProof`.
package struct PhoneCodes: PhoneCodesService {
    private let parts: IdentityParts
    private let owners: SessionOwners

    /// The rpcs over identity's store.
    package init(of identity: IdentityService) {
        parts = identity.parts
        owners = identity.owners
        warnOfTests()
    }

    /// Somebody who knows such a number's code is in without a phone; it must not go unnoticed.
    private func warnOfTests() {
        let now = parts.time.now()
        let tests = parts.settings.phone.testNumbers
        let ended = tests.count { $0.endsAt <= now }
        if ended < tests.count {
            parts.logger.warning(
                "identity.phone_test_numbers.on",
                "phone test numbers are on: their codes are fixed and nothing is sent",
                fields: [
                    .setting: .text("phone-test-numbers"), .count: .count(tests.count - ended),
                ])
        }
        if ended > 0 {
            parts.logger.warning(
                "identity.phone_test_numbers.expired",
                "phone test numbers have expired and are refused",
                fields: [.setting: .text("phone-test-numbers"), .count: .count(ended)])
        }
    }

    /// `PhoneCodeRequest`.
    package func requestCode(
        _ request: IdentityV1.RequestCodeRequest, _ context: CallContext
    ) async throws -> IdentityV1.RequestCodeResponse {
        try await PhoneCodeRequest(parts: parts, owners: owners).run(request, context)
    }

    /// `CodeSignIn`.
    package func signInWithCode(
        _ request: IdentityV1.SignInWithCodeRequest, _ context: CallContext
    ) async throws -> IdentityV1.AdmissionResponse {
        try await CodeSignIn(parts: parts, owners: owners).run(request, context)
    }

    /// `CodeLink`.
    package func linkPhone(
        _ request: IdentityV1.LinkPhoneRequest, _ context: CallContext
    ) async throws -> IdentityV1.LinkPhoneResponse {
        try await CodeLink(parts: parts, owners: owners).run(request, context)
    }

    /// `CodeProof`.
    package func proveByCode(
        _ request: IdentityV1.ProveByCodeRequest, _ context: CallContext
    ) async throws -> IdentityV1.ProveByCodeResponse {
        try await CodeProof(parts: parts, owners: owners).run(request, context)
    }
}
