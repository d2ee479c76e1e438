import TestSupport

@testable import IdentityService

/// The texts that both kinds of response have.
protocol PasskeyTexts: Sendable {
    var id: String { get set }
    var rawID: String { get set }
    var type: String { get set }
    var clientDataJSON: String { get set }
}

extension TestRegistration: PasskeyTexts {}

extension TestAssertion: PasskeyTexts {}

/// A response with one thing wrong, and why it is refused: a thing that the browser and the
/// authenticator say, all else being in order, or a text that was changed after them.
struct PasskeyMutation: Sendable {
    typealias CeremonyChange = @Sendable (inout TestCeremony) -> Void

    let name: String
    let refusal: PasskeyRefusal
    /// What is wrong in the ceremony.
    private let ceremony: CeremonyChange
    /// What is wrong in the texts; nil where it is no registration, or no assertion.
    private let registration: (@Sendable (inout TestRegistration) -> Void)?
    private let assertion: (@Sendable (inout TestAssertion) -> Void)?

    /// What is wrong in the ceremony of both kinds.
    static func both(
        _ name: String, _ refusal: PasskeyRefusal, _ change: @escaping CeremonyChange
    ) -> PasskeyMutation {
        PasskeyMutation(
            name: name, refusal: refusal, ceremony: change, registration: { _ in },
            assertion: { _ in })
    }

    /// What is wrong in texts that both kinds have.
    static func texts(
        _ name: String, _ refusal: PasskeyRefusal,
        _ change: @escaping @Sendable (inout any PasskeyTexts) -> Void
    ) -> PasskeyMutation {
        @Sendable func apply<Texts: PasskeyTexts>(_ texts: inout Texts) {
            var changed: any PasskeyTexts = texts
            change(&changed)
            texts = changed as? Texts ?? texts
        }
        return PasskeyMutation(
            name: name, refusal: refusal, ceremony: { _ in }, registration: { apply(&$0) },
            assertion: { apply(&$0) })
    }

    /// What is wrong in the ceremony of a registration.
    static func registering(
        _ name: String, _ refusal: PasskeyRefusal, _ change: @escaping CeremonyChange
    ) -> PasskeyMutation {
        PasskeyMutation(
            name: name, refusal: refusal, ceremony: change, registration: { _ in }, assertion: nil)
    }

    /// What is wrong in the texts of a registration.
    static func registration(
        _ name: String, _ refusal: PasskeyRefusal,
        _ change: @escaping @Sendable (inout TestRegistration) -> Void
    ) -> PasskeyMutation {
        PasskeyMutation(
            name: name, refusal: refusal, ceremony: { _ in }, registration: change, assertion: nil)
    }

    /// What is wrong in the ceremony of an assertion, before it is signed.
    static func signing(
        _ name: String, _ refusal: PasskeyRefusal, _ change: @escaping CeremonyChange
    ) -> PasskeyMutation {
        PasskeyMutation(
            name: name, refusal: refusal, ceremony: change, registration: nil, assertion: { _ in })
    }

    /// What is wrong in the texts of an assertion.
    static func assertion(
        _ name: String, _ refusal: PasskeyRefusal,
        _ change: @escaping @Sendable (inout TestAssertion) -> Void
    ) -> PasskeyMutation {
        PasskeyMutation(
            name: name, refusal: refusal, ceremony: { _ in }, registration: nil, assertion: change)
    }

    /// The registration of a passkey with what is wrong; nil where it is none of a registration.
    func registration(of passkey: TestPasskey, in ceremony: TestCeremony) -> TestRegistration? {
        guard let registration else { return nil }
        var changed = ceremony
        self.ceremony(&changed)
        var response = changed.registration(of: passkey)
        registration(&response)
        return response
    }

    /// The same for an assertion, which is signed after the ceremony has gone wrong.
    func assertion(by passkey: TestPasskey, in ceremony: TestCeremony) throws -> TestAssertion? {
        guard let assertion else { return nil }
        var changed = ceremony
        self.ceremony(&changed)
        var response = try changed.assertion(by: passkey)
        assertion(&response)
        return response
    }
}
