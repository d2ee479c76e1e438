import Contracts
import ServiceRuntime
import Testing

@testable import IdentityService

@Suite("G-14: the rule of adding and removing sign-in methods")
struct MethodRuleTests {
    @Test(
        "G-14: adding a method follows its truth table",
        arguments: [
            (1, ["google"], .providerAlreadyLinked), (1, [], .providerAlreadyLinked),
            (2, ["google"], .credentialAlreadyInUse), (2, [], .credentialAlreadyInUse),
            (nil, ["google"], .providerAlreadyLinked), (nil, ["password", "apple"], nil),
            (nil, [], nil),
        ] as [(Int64?, [String], ErrorCode?)])
    func adding(known: Int64?, methods: [String], code: ErrorCode?) throws {
        let own = try #require(AccountID(key: 1))
        #expect(
            MethodRule.refusal(
                adding: .provider("google"), to: own, having: methods.map(SignInMethod.init(name:)),
                known: known.flatMap { AccountID(key: $0) }) == code)
    }

    @Test(
        "G-14: removing a method follows its truth table",
        arguments: [
            ("google", ["google"], .lastMethod), ("google", ["google", "phone"], nil),
            ("google", ["password", "google"], nil), ("google", [], .methodNotLinked),
            ("google", ["apple"], .methodNotLinked), ("password", ["password"], .lastMethod),
            ("phone", ["phone"], .lastMethod), ("", ["google"], .methodNotLinked),
        ] as [(String, [String], ErrorCode?)])
    func removing(method: String, methods: [String], code: ErrorCode?) {
        let methods = methods.map(SignInMethod.init(name:))
        let refusal = MethodRule.refusal(
            removing: SignInMethod(name: method), from: methods, opening: methods)
        #expect(refusal == code)
    }

    @Test("G-36: where passwords are switched off, one is no other way in")
    func passwordsOff() {
        var settings = IdentitySettings()
        settings.passwordSignIn = .off
        let google = SignInMethod.provider("google")
        let table: [(SignInMethod, [SignInMethod], ErrorCode?)] = [
            (google, [.password, google], .lastMethod), (.password, [.password, google], nil),
            (.password, [.password], .lastMethod), (google, [.password, google, .phone], nil),
        ]
        for (method, methods, code) in table {
            let refusal = MethodRule.refusal(
                removing: method, from: methods, opening: settings.opening(methods))
            #expect(refusal == code, "\(method) \(methods)")
        }
    }

    @Test(
        "G-14: adding a password follows its truth table",
        arguments: [
            (["password"], true, true, .providerAlreadyLinked),
            (["google", "password"], true, false, .providerAlreadyLinked),
            (["phone"], false, false, .operationNotAllowed),
            (["google"], true, false, .emailNotVerified), (["google"], true, true, nil),
            ([], true, true, nil),
        ] as [([String], Bool, Bool, ErrorCode?)])
    func addingPassword(methods: [String], hasAddress: Bool, isProved: Bool, code: ErrorCode?) {
        #expect(
            MethodRule.refusal(
                addingPasswordTo: methods.map(SignInMethod.init(name:)), hasAddress: hasAddress,
                isProved: isProved) == code)
    }

    @Test("G-14: an explicit link adds or proves an address by its truth table")
    func address() {
        func gain(
            _ own: [UInt8]?, _ isProved: Bool, _ email: [UInt8]?, isTaken: Bool = false
        ) -> MethodRule.AddressGain {
            MethodRule.address(
                ownKey: own, isProved: isProved, emailKey: email, isTaken: isTaken)
        }
        #expect(gain(nil, false, [1]) == .gained)
        #expect(gain(nil, false, [1], isTaken: true) == .none)
        #expect(gain(nil, false, nil) == .none)
        #expect(gain([1], false, [1], isTaken: true) == .proved)
        #expect(gain([1], true, [1], isTaken: true) == .none)
        #expect(gain([2], false, [1]) == .none && gain([2], true, [1]) == .none)
    }
}
