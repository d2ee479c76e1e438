import Addresses
import Contracts
import Messages
import RPC
import ServiceRuntime
import Storage

extension PhoneCodesHandler {
    /// Sends a code to the owner of a session (G-13, G-14): to link the number, or to re-authenticate
    /// by the account's own.
    func requestPhoneCode(
        _ request: GatewayV1.RequestPhoneCodeRequest, _ context: CallContext
    ) async throws -> IdentityV1.RequestCodeResponse {
        guard let purpose = PhoneCodePurpose(request.purpose) else {
            throw ServiceError(.invalidArgument, fields: ["purpose"])
        }
        let requested = try CodeRequest(
            to: request.phoneNumber, for: purpose, on: request.device, context, settings, keys,
            at: time.now())
        let owner = try await owner(asking: requested, context)
        let call = try RepeatableCall(
            PhoneCodesDescription.requestPhoneCode, request, by: owner.account.text, context, keys)
        return try await send(requested, for: owner, call)
    }

    /// The owner of the session that asks. Without a recent proof no message is sent to link a number
    /// that could not be linked.
    private func owner(
        asking requested: CodeRequest, _ context: CallContext
    ) async throws -> SessionOwner {
        guard requested.purpose == .prove else {
            return try await owners.ownerOfMethods(in: context)
        }
        let owner = try await owners.owner(in: context)
        // The response discloses only that the number is not the caller's own, and not whose it is.
        let holder = try await store.read { try self.owner(of: requested.number, $0) }
        guard holder == owner.account else {
            throw ServiceError(.methodNotLinked, fields: ["phone_number"])
        }
        return owner
    }
}
