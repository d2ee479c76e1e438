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
                    name: answer.appName, passwordRules: rules.compactMap(PasswordRequirement.init))
            }
            return state.options ?? AppOptions()
        }
    }
}
