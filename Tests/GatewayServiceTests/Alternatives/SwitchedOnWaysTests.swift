import Contracts
import Messages
import ServiceRuntime
import Testing

@testable import GatewayService

@Suite("X-08: what else would do, by what was tried and what is switched on")
struct SwitchedOnWaysTests {
    private typealias Row = (attempt: SignInAttempt, codes: [ErrorCode], words: [String])

    /// All ways, with three providers.
    private static let all = SwitchedOnWays(
        hasPassword: true, hasSignUp: true, hasReset: true, hasPhone: true, hasPasskeys: true,
        providers: ["google", "apple", "acme"])
    private static let providers = ["google", "apple", "acme"]

    private static let table: [Row] = [
        (
            .password, [.invalidCredential],
            ["reset-password", "passkey"] + providers + ["phone", "sign-up"]
        ),
        (.password, [.tooManyRequests], ["reset-password", "passkey"] + providers + ["phone"]),
        (
            .signUp, [.emailAlreadyInUse],
            ["password", "reset-password", "passkey"] + providers + ["phone"]
        ),
        (
            .resetLink, [.invalidLink],
            ["reset-password", "password", "passkey"] + providers + ["phone"]
        ),
        (
            .provider("apple"),
            [
                .invalidProviderToken, .providerUnavailable, .appleCancelled, .googleCancelled,
                .providerCancelled,
            ], ["google", "acme", "passkey", "password", "phone"]
        ),
        (
            .provider("apple"), [.emailAlreadyInUse],
            ["password", "reset-password", "passkey", "google", "acme", "phone"]
        ),
        (.provider("apple"), [.tooManyRequests], ["passkey", "password", "phone"]),
        (
            .phone, [.phoneCountryNotAllowed, .tooManyRequests],
            ["passkey"] + providers + ["password"]
        ),
        (
            .passkey, [.invalidPasskey, .unknownPasskey, .tooManyRequests],
            ["password"] + providers + ["phone"]
        ),
        (.guest, [.tooManyRequests], ["passkey", "password"] + providers + ["phone"]),
    ]

    @Test("X-08: each row of the table, and nothing for any other error", arguments: table.indices)
    func rows(row: Int) {
        let (attempt, _, _) = Self.table[row]
        for code in ErrorCode.allCases {
            let wanted = Self.table.first { $0.attempt == attempt && $0.codes.contains(code) }
            #expect(
                Self.all.alternatives(to: attempt, after: code) == wanted?.words ?? [],
                "\(code.rawValue)")
        }
    }

    /// Each set of ways that an operator can switch on.
    private static var sets: [SwitchedOnWays] {
        var sets: [SwitchedOnWays] = []
        for bits in 0..<16 {
            for names in [[], ["google"], providers] as [[String]] {
                sets.append(
                    SwitchedOnWays(
                        hasPassword: bits & 1 != 0, hasSignUp: bits & 1 != 0,
                        hasReset: bits & 2 != 0,
                        hasPhone: bits & 4 != 0, hasPasskeys: bits & 8 != 0, providers: names))
            }
        }
        return sets
    }

    @Test("X-08: of each row's words those are left that are switched on, in the same order")
    func switchedOn() {
        #expect(Self.sets.count == 48)
        for ways in Self.sets {
            let on =
                ways.providers + (ways.hasPassword ? ["password", "sign-up"] : [])
                + (ways.hasReset ? ["reset-password"] : []) + (ways.hasPhone ? ["phone"] : [])
                + (ways.hasPasskeys ? ["passkey"] : [])
            for row in Self.table {
                for code in row.codes {
                    #expect(
                        ways.alternatives(to: row.attempt, after: code)
                            == row.words.filter(on.contains), "\(ways) \(row.attempt)")
                }
            }
        }
    }

    @Test("G-36: what the app that calls does not have is left out, and nothing is added")
    func hidden() {
        let words: [(SignInWay, Set<String>)] = [
            (.password, ["password"]), (.signUp, ["sign-up"]), (.guests, []),
            (.phone, ["phone"]), (.passkeys, ["passkey"]), (.providers, Set(Self.providers)),
            (.reset, ["reset-password"]),
        ]
        #expect(words.map(\.0) == SignInWay.allCases)
        for (way, hidden) in words {
            for row in Self.table {
                for code in row.codes {
                    #expect(
                        Self.all.without([way]).alternatives(to: row.attempt, after: code)
                            == row.words.filter { !hidden.contains($0) }, "\(way) \(row.attempt)")
                }
            }
            #expect(SwitchedOnWays().without([way]) == SwitchedOnWays(), "it only hides")
        }
    }

    @Test("X-08: a provider that the operator does not have is replaced by all others")
    func unknownProvider() {
        for name in ["", "keycloak", "password"] {
            #expect(
                Self.all.alternatives(to: .provider(name), after: .providerUnavailable)
                    == Self.providers + ["passkey", "password", "phone"])
        }
    }

    @Test("X-08: the ways are those of the options")
    func options() {
        #expect(SwitchedOnWays(GatewayV1.GetSignInOptionsResponse()) == SwitchedOnWays())
        let options = GatewayV1.GetSignInOptionsResponse(
            password: .init(), phone: .init(countries: ["DE"]),
            providers: Self.providers.map { .init(name: $0) }, recoveryMethods: [.emailLink],
            passkeys: .init(rpId: "example.org"))
        #expect(SwitchedOnWays(options) == Self.all)
    }

    @Test("X-08: no provider can have the name of another alternative")
    func names() {
        let words = Set(Self.table.flatMap(\.words)).subtracting(Self.providers)
        #expect(words.isSubset(of: SignInMethod.reservedNames))
    }
}
