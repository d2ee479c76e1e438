import Contracts
import Messages
import RPC
import ServiceRuntime
import Synchronization

/// What pages say of the app. The default is what is known without an answer of identity: nothing.
package struct AppOptions: Hashable, Sendable {
    /// The name as people know it (the setting `app-name`); empty for none.
    var name = ""
    /// The rules for a new password, in the order to show them.
    var passwordRules: [PasswordRequirement] = []
    /// Whether people sign in with passwords, as far as it is known (G-36).
    var takesPasswords = true
    /// Whether people sign in with a code to their phone.
    var takesPhones = false
    /// Whether people sign in with a provider, which a page cannot do.
    var hasProviders = false
    /// Whether an account can set up a second factor, as far as it is known.
    var takesSecondFactors = true
    /// Where passkeys work; nil where they are switched off.
    var passkeys: Passkeys?
    /// Whether they work on the page that is shown: set for each, by the origin that it has.
    var takesPasskeys = false

    /// Where passkeys work (F-01).
    struct Passkeys: Hashable, Sendable {
        /// The domain to which they belong.
        let domain: String
        /// The origins of pages and apps.
        let origins: [String]
        /// The origins of other sites.
        let related: [String]

        /// Whether they work at an origin: one of the listed texts.
        func work(at origin: String) -> Bool {
            origins.contains(origin) || related.contains(origin)
        }
    }
}

/// A rule for new passwords, with its numbers, before a password was typed.
struct PasswordRequirement: Hashable, Sendable {
    let rule: PasswordRule
    /// The bounds of the length.
    let codePoints: ClosedRange<Int>

    /// What the rule requires.
    func sentence(in voice: Voice) -> String { rule.requirement(in: voice, codePoints) }
}

extension PasswordRequirement {
    /// Identity's rule. Nil for one that this program does not know, of a newer identity.
    init?(_ message: GatewayV1.PasswordRule) {
        guard let rule = PasswordRule(rawValue: message.rule), message.minimum <= message.maximum
        else { return nil }
        self.rule = rule
        codePoints = Int(message.minimum)...Int(message.maximum)
    }
}

/// The options that identity has. They change only when identity restarts, so they are asked for
/// once in a few minutes, and a page waits for the answer only until there was a first one.
final class CurrentAppOptions: Sendable {
    private struct State {
        /// Nil until there was an answer.
        var options: AppOptions?
        /// When they are asked for again, by `Time.uptime`.
        var askedAgainAt = Duration.zero
        var asking = SingleFlight<AppOptions, Never>()
    }

    /// How long an answer counts.
    private static let freshFor = Duration.seconds(300)
    /// The time after a failure in which the gateway is not asked again.
    private static let retriedAfter = Duration.seconds(5)
    /// How long a page waits: it does its work without.
    private static let timeout = Duration.seconds(1)

    private let gateway: any SignInOptionsAPI
    private let time: any Time
    private let state = Mutex(State())

    /// The options at a gateway.
    init(_ gateway: any SignInOptionsAPI, time: any Time) {
        self.gateway = gateway
        self.time = time
    }

    /// The options; the default if there is no answer yet.
    func current() async -> AppOptions {
        let now = time.uptime()
        let (options, asking) = state.withLock { state -> (AppOptions?, Task<AppOptions, Never>?) in
            guard now >= state.askedAgainAt else { return (state.options, nil) }
            return (state.options, state.asking.join { await self.ask() })
        }
        guard options == nil, let asking else { return options ?? AppOptions() }
        return await asking.value
    }

    private func ask() async -> AppOptions {
        let context = CallContext(deadline: time.uptime() + Self.timeout)
        // A page with the options of the last minutes is better than none: any failure keeps them.
        let answer = try? await gateway.getSignInOptions(.init(), context)
        return state.withLock { state in
            state.asking.end()
            state.askedAgainAt =
                time.uptime() + (answer == nil ? Self.retriedAfter : Self.freshFor)
            if let answer {
                let rules = answer.password?.rules ?? []
                state.options = AppOptions(
                    name: answer.appName, passwordRules: rules.compactMap(PasswordRequirement.init),
                    takesPasswords: answer.password != nil, takesPhones: answer.phone != nil,
                    hasProviders: !answer.providers.isEmpty,
                    takesSecondFactors: answer.secondFactors != nil,
                    passkeys: answer.passkeys.map {
                        AppOptions.Passkeys(
                            domain: $0.rpId, origins: $0.origins, related: $0.relatedOrigins)
                    })
            }
            return state.options ?? AppOptions()
        }
    }
}
