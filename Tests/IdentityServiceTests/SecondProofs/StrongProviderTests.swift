import Contracts
import Messages
import ServiceRuntime
import TestSupport
import Testing

@testable import IdentityAssembly
@testable import IdentityService

extension GatewayV1.ProviderToken {
    /// The same, of a person who has given two proofs at the provider.
    fileprivate var ofTwoProofs: Self {
        var token = self
        token.idToken += "|mfa"
        return token
    }
}

@Suite("F-04: a provider's token that counts as both proofs", .timeLimit(.minutes(1)))
struct StrongProviderTests {
    private static let both = ["fed", "mfa"]

    @Test("signs in to an account with a factor by itself, if the account has the identity")
    func known() async throws {
        let person = try await GatedPerson(.with(SwitchedFactors()))
        let identity = person.identity
        let one = try await refusal { try await identity.signIn(by: .token("g1", nonce: "a")) }
        #expect(one.code == .secondProofRequired)
        let answer = try await identity.signIn(by: .token("g1", nonce: "b").ofTwoProofs)
        #expect(answer.account?.accountId == person.account && answer.proof?.amr == Self.both)
        #expect(answer.proof?.purpose == .signIn)
    }

    /// Attack: somebody has the owner's mailbox, makes an account at the provider for it, and a second
    /// factor there.
    @Test("does not count where it is linked by its address: the factor here is asked for")
    func linked() async throws {
        let person = try await GatedPerson(.with(SwitchedFactors()))
        let apple = GatewayV1.ProviderToken.token(
            "a1", email: "ada@example.org", by: "apple", nonce: "n"
        ).ofTwoProofs
        let error = try await refusal { try await person.identity.signIn(by: apple) }
        #expect(error.code == .secondProofRequired)
        #expect(try await person.identity.count("identities", where: "method = 'apple'") == 0)
    }

    @Test("shows two proofs in a session only for an identity that was there before")
    func shown() async throws {
        let fixture = try IdentityFixture()
        let token = GatewayV1.ProviderToken.token("g1", email: "ada@example.org").ofTwoProofs
        let first = try await fixture.signIn(by: token, key: "k")
        #expect(first.isNewUser && first.proof?.amr == ["fed"])
        let again = try await fixture.signIn(by: token, key: "k")
        #expect(again.isNewUser && again.proof?.amr == ["fed"], "G-25: the same proof")
        #expect(try await fixture.signIn(by: token).proof?.amr == Self.both)
    }

    @Test("is a recent proof of aal2, and one without it is not")
    func reauthentication() async throws {
        let person = try await GatedPerson(.with(SwitchedFactors()))
        func amr(_ token: GatewayV1.ProviderToken) async throws -> [String]? {
            try await person.identity.identities.proveByProvider(
                .init(device: IdentityFixture.device, proof: .providerToken(token)),
                person.identity.relayed(person.token)
            ).proof?.amr
        }
        #expect(try await amr(.token("g1", nonce: "a").ofTwoProofs) == Self.both)
        #expect(try await amr(.token("g1", nonce: "b")) == ["fed"])
    }
}
