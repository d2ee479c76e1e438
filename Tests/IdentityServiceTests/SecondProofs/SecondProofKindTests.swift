import Contracts
import RPC
import Testing

@testable import IdentityService
@testable import Messages

/// The truth tables of `SecondProofKind` and `ProofChannel`.
@Suite("F-03: kinds of second proofs")
struct SecondProofKindTests {
    private static let phone = FirstProof(
        ProvedIdentity(method: .phone, issuer: "phone", subject: "+4915112345678"),
        numberKey: [1], namesOwnAddress: false)

    private static func google(namesOwnAddress: Bool) -> FirstProof {
        FirstProof(
            ProvedIdentity(
                method: .provider("google"), issuer: "https://google.example", subject: "g1"),
            numberKey: nil, namesOwnAddress: namesOwnAddress)
    }

    /// An account that has all of it; at Apple it is known by its own address.
    private static let everything = SecondProofAccount(
        hasPassword: true, hasProvedAddress: true, hasNumber: true, hasTOTP: true,
        hasRecoveryCodes: true,
        providers: ["google": [.provider("google")], "apple": [.provider("apple"), .mailbox]])

    @Test("a kind is offered, in order, if it has no channel in common with the first proof")
    func independent() {
        // An app and paper are channels of their own.
        let rows: [(FirstProof, [SecondProofKind], [String])] = [
            (.password, [.phone, .email, .provider], ["apple", "google"]),
            (.resetLink, [.phone, .password, .provider], ["google"]),
            (Self.phone, [.email, .password, .provider], ["apple", "google"]),
            (
                Self.google(namesOwnAddress: false), [.phone, .email, .password, .provider],
                ["apple"]
            ),
            (Self.google(namesOwnAddress: true), [.phone, .password], []),
        ]
        for (first, kinds, providers) in rows {
            #expect(
                SecondProofKind.available(Self.everything, after: first)
                    == [.totp] + kinds + [.recoveryCode])
            #expect(Self.everything.providers(independentOf: first) == providers)
        }
    }

    @Test("an account has only the kinds that it has set up")
    func setUp() {
        #expect(SecondProofKind.available(SecondProofAccount(), after: Self.phone) == [])
        let rows: [(SecondProofAccount, [SecondProofKind])] = [
            (SecondProofAccount(hasPassword: true), [.password]),
            (SecondProofAccount(hasProvedAddress: true), [.email]),
            (SecondProofAccount(hasNumber: true), [.phone]),
            (SecondProofAccount(providers: ["apple": [.provider("apple")]]), [.provider]),
            (SecondProofAccount(hasTOTP: true), [.totp]),
            (SecondProofAccount(hasTOTP: true, hasRecoveryCodes: true), [.totp, .recoveryCode]),
            // They stand in for a factor that is lost, and are none by themselves.
            (SecondProofAccount(hasRecoveryCodes: true), []),
        ]
        let first = Self.google(namesOwnAddress: false)
        for (account, kinds) in rows {
            #expect(SecondProofKind.available(account, after: first) == kinds)
        }
    }

    @Test("F-01: a passkey is offered first, is a factor, and is no second proof after a passkey")
    func passkey() {
        var account = Self.everything
        account.hasPasskey = true
        #expect(SecondProofKind.available(account, after: .password).first == .passkey)
        #expect(SecondProofKind.passkey.isFactor && !SecondProofKind.passkey.isSentCode)
        let first = FirstProof.passkey(.hardwarePasskey)
        #expect(first.isBothProofs && first.authentication.amr == ["pop", "hwk", "user", "mfa"])
        #expect(!SecondProofKind.available(account, after: first).contains(.passkey))
    }

    @Test("F-01: recovery codes stand in for a passkey too, and are never the only factor")
    func recoveryCodes() {
        var account = SecondProofAccount(hasRecoveryCodes: true)
        #expect(SecondProofKind.available(account, after: .password) == [])
        account.hasPasskey = true
        #expect(
            SecondProofKind.available(account, after: .password) == [.passkey, .recoveryCode])
    }

    @Test("A-06: a code to a number that is reported as changed is no second proof")
    func guarded() {
        let account = SecondProofAccount(hasNumber: true, isNumberGuarded: true)
        #expect(SecondProofKind.available(account, after: .password) == [])
    }

    @Test("each kind is a field of the request that carries it, and adds a method to the session")
    func fields() throws {
        let service = SignInChallengesDescription.service
        let schema = try Schema(fileDescriptorSet: service.fileDescriptorSet)
        let method: SchemaMethod = try #require(
            schema.method(named: SignInChallengesDescription.completeSignIn.name))
        let fields = Set(method.input.type.fields.map(\.name))
        for kind in SecondProofKind.allCases {
            #expect(fields.contains(kind.rawValue), "\(kind)")
            #expect(!kind.amr.isEmpty, "\(kind)")
        }
        #expect(SecondProofKind.allCases.filter(\.isSentCode) == [.phone, .email])
        #expect(SecondProofKind.allCases.filter(\.isFactor) == [.passkey, .totp, .recoveryCode])
    }
}
