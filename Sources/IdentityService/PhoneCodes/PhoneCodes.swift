import Contracts
import Logging
package import Messages
package import RPC
import ServiceRuntime

/// Phone codes: `postern.identity.v1.PhoneCodes` (G-06, I-06, R-02). Each rpc has a file:
/// `PhoneCodeRequest`, `CodeSignIn`, `CodeLink`, `CodeProof`.
package struct PhoneCodes: PhoneCodesService {
    private let parts: IdentityParts
    private let owners: SessionOwners

    /// The rpcs, with the store of the identity service.
    package init(of identity: IdentityService) {
        parts = identity.parts
        owners = identity.owners
        warnOfTests()
    }

    /// A test number's code gives access without a phone, so the log warns while any is configured.
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

    /// Sends a code to a phone.
    /// - Throws: as `PhoneCodeRequest.run`.
    package func requestCode(
        _ request: IdentityV1.RequestCodeRequest, _ context: CallContext
    ) async throws -> IdentityV1.RequestCodeResponse {
        try await PhoneCodeRequest(parts: parts, owners: owners).run(request, context)
    }

    /// Signs in with a code.
    /// - Throws: as `CodeSignIn.run`.
    package func signInWithCode(
        _ request: IdentityV1.SignInWithCodeRequest, _ context: CallContext
    ) async throws -> IdentityV1.AdmissionResponse {
        try await CodeSignIn(parts: parts, owners: owners).run(request, context)
    }

    /// Links a phone number with a code.
    /// - Throws: as `CodeLink.run`.
    package func linkPhone(
        _ request: IdentityV1.LinkPhoneRequest, _ context: CallContext
    ) async throws -> IdentityV1.LinkPhoneResponse {
        try await CodeLink(parts: parts, owners: owners).run(request, context)
    }

    /// Re-authenticates with a code.
    /// - Throws: as `CodeProof.run`.
    package func proveByCode(
        _ request: IdentityV1.ProveByCodeRequest, _ context: CallContext
    ) async throws -> IdentityV1.ProveByCodeResponse {
        try await CodeProof(parts: parts, owners: owners).run(request, context)
    }
}
