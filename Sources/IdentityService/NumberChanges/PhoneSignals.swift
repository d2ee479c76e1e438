import Contracts
import Cryptography
package import Messages
import PhoneNumbers
package import RPC
import ServiceRuntime
import Storage

/// What a provider of text messages says of numbers: `postern.identity.v1.PhoneSignals`.
package struct PhoneSignals: PhoneSignalsService {
    private let parts: IdentityParts

    /// The rpcs over identity's store.
    package init(of identity: IdentityService) {
        parts = identity.parts
    }

    /// Keeps that a number has changed: its keyed hash and when, whether or not it has an account.
    /// - Throws: `auth/invalid-phone-number`.
    package func numberChanged(
        _ request: IdentityV1.NumberChangedRequest, _ context: CallContext
    ) async throws -> IdentityV1.NumberChangedResponse {
        let number = try PhoneNumber.required(request.phoneNumber)
        let numberKey = parts.keys.lookUpKey(of: number)
        try await parts.store.write { transaction in
            // Told by us, so it is of now at the latest; a clock ahead must not make it last longer.
            let now = min(transaction.at, Timestamp(milliseconds: request.toldAtMs))
            let kept = try transaction.numberChange(numberKey)
            guard let change = NumberChangeRule.told(kept, at: now) else { return }
            try transaction.setNumberChange(numberKey, toldAt: change.toldAt)
            try transaction.audit(
                AuditEvent(.phoneNumberChanged, subject: parts.keys.subject(of: number)))
        }
        return IdentityV1.NumberChangedResponse()
    }
}
