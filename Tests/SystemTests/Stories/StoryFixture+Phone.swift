import Contracts
import HTTPSink
import Messages
import RPC
import TestSupport

extension StoryFixture {
    /// Requests a code to a number, and reads it from the text message.
    /// - Returns: the id of the request, and the code.
    func code(
        to number: String, for purpose: GatewayV1.PhoneCodePurpose? = nil, person: Person,
        accessToken: String? = nil
    ) async throws -> (request: String, code: String) {
        let before = texts.requests.count
        let context = backend.context(person).bearing(accessToken)
        let device = person.gatewayDevice
        let request: String
        if let purpose {
            request = try await backend.phone.requestPhoneCode(
                .init(phoneNumber: number, purpose: purpose, device: device), context
            ).requestId
        } else {
            request = try await backend.phone.requestSignInCode(
                .init(phoneNumber: number, device: device), context
            ).requestId
        }
        return (request, try await code(to: number, after: before))
    }

    /// The code in the first text message to a number after the first `count`; waits for the
    /// message.
    func code(to number: String, after count: Int) async throws -> String {
        var text: String?
        let isThere = try await eventually {
            // Notices go to the number, too.
            text =
                texts.requests.dropFirst(count).first {
                    $0.text.contains(number) && $0.text.contains(/"text":"[0-9]/)
                }?.text
            return text != nil
        }
        // The message begins with the code: {…,"text":"123456 is your …
        guard isThere, let words = text?.split(separator: "\"text\":\"").dropFirst().first else {
            throw ClusterError(message: "no code to \(number): \(text ?? "nothing")")
        }
        return String(words.prefix { $0.isNumber })
    }

    /// Signs a person in by a code to a number.
    func signIn(
        _ person: Person, byPhone number: String, accessToken: String? = nil
    ) async throws -> GatewayV1.SignInWithPhoneCodeResponse {
        let (request, code) = try await code(to: number, person: person)
        return try await backend.phone.signInWithPhoneCode(
            .init(
                requestId: request, phoneNumber: number, code: code, device: person.gatewayDevice),
            backend.context(person).bearing(accessToken))
    }
}
