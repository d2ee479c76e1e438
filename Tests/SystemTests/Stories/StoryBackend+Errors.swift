import Contracts
import Messages
import RPC
import ServiceRuntime
import TestSupport

/// Calls for tests that check whether a call succeeds, and not its response.
extension StoryBackend {
    /// Signs a person in.
    /// - Parameters:
    ///   - device: The device's id.
    ///   - address: The client address; nil for the person's own.
    /// - Returns: the error's code; nil on success.
    func signIn(
        _ person: Person, _ password: String = Person.password, device: String,
        from address: String? = nil, within timeout: Duration = .seconds(10)
    ) async throws -> ErrorCode? {
        await signInError(person, password, device: device, from: address, within: timeout)?.code
    }

    /// The same with the whole error.
    func signInError(
        _ person: Person, _ password: String = Person.password, device: String,
        from address: String? = nil, within timeout: Duration = .seconds(10)
    ) async -> ServiceError? {
        await Self.error {
            _ = try await auth.signInWithPassword(
                GatewayV1.SignInWithPasswordRequest(
                    email: person.email, password: .init(text: password),
                    device: GatewayV1.Device(deviceId: device, platform: "ios", name: device)),
                context(person, from: address, within: timeout))
        }
    }

    /// Signs a person up.
    /// - Returns: the error's code; nil on success.
    func signUp(_ person: Person, within timeout: Duration = .seconds(10)) async -> ErrorCode? {
        await Self.error {
            _ = try await auth.signUpWithPassword(
                person.signUp, context(person, from: nil, within: timeout))
        }?.code
    }

    private func context(
        _ person: Person, from address: String?, within timeout: Duration
    ) -> CallContext {
        var metadata = Metadata()
        metadata[Metadata.Key.clientAddress] = address ?? person.address
        return CallContext(deadline: SystemTime().uptime() + timeout, metadata: metadata)
    }

    private static func error(of call: () async throws -> Void) async -> ServiceError? {
        do {
            try await call()
            return nil
        } catch {
            return (error as? ServiceError) ?? ServiceError(.internalError)
        }
    }
}

extension Person {
    /// A sign-up with the person's password on the person's device.
    var signUp: GatewayV1.SignUpWithPasswordRequest {
        GatewayV1.SignUpWithPasswordRequest(
            email: email, password: .init(text: Self.password), device: gatewayDevice)
    }
}
