import Addresses
import Cryptography
package import Messages
package import RPC
import ServiceRuntime
import Storage

extension PhoneSignalsHandler {
    /// Stores that a number has changed: its keyed hash and the time. It does so whether or not the
    /// number belongs to an account.
    /// - Throws: `auth/invalid-phone-number`.
    package func numberChanged(
        _ request: IdentityV1.NumberChangedRequest, _ context: CallContext
    ) async throws -> IdentityV1.NumberChangedResponse {
        let number = try PhoneNumber.required(request.phoneNumber)
        let numberKey = keys.lookUpKey(of: number)
        try await store.write { transaction in
            // Our own service sends the report, so its time is now or earlier. A clock that is
            // ahead must not extend the guard period.
            let now = min(transaction.at, Timestamp(milliseconds: request.toldAtMs))
            let kept = try transaction.numberChange(numberKey)
            guard let change = NumberChangeRule.told(kept, at: now) else { return }
            try transaction.setNumberChange(numberKey, toldAt: change.toldAt)
            try transaction.audit(
                AuditEvent(.phoneNumberChanged, subject: keys.subject(of: number)))
        }
        return IdentityV1.NumberChangedResponse()
    }
}
