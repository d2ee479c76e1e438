import ArgumentParser
import Cryptography
import Messages
import RPC
import ServiceRuntime
import SessionService
import Storage

/// First validations a second of the session service, each of a token that it has not cached,
/// compared with the bare check of the same tokens' signatures.
struct FirstValidations: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "validate")

    @Option(help: "A folder on any disk; its contents are lost.")
    var folder: String
    @Option(help: "Tokens in each run.")
    var tokens = 4_000
    @Option(help: "Runs of each kind, alternating; the median counts.")
    var runs = 5

    func run() async throws {
        var (first, bare): ([Double], [Double]) = ([], [])
        for run in 0..<runs {
            let fixture = try await ValidationFixture(folder: "\(folder)/validate-\(run)")
            defer { fixture.store.close() }
            let tokens = try await fixture.tokens(tokens)
            bare.append(try signatureChecks(tokens, fixture))
            first.append(try validations(tokens, fixture))
        }
        let (one, floor) = (Double.median(first), Double.median(bare))
        Figure(name: "validate-first", value: one, unit: "tokens/s").report()
        Figure(name: "signature-check", value: floor, unit: "signatures/s").report()
        Figure(name: "validate-first/signature-check", value: one / floor, unit: "×").report()
    }

    private func validations(_ tokens: [String], _ fixture: ValidationFixture) throws -> Double {
        let context = Self.context
        return try Self.perSecond(tokens) { token in
            try fixture.service.sessions.validateAccessToken(
                SessionV1.ValidateAccessTokenRequest(accessToken: token), context
            ).valid
        }
    }

    private func signatureChecks(_ tokens: [String], _ fixture: ValidationFixture) throws -> Double
    {
        let set = try JSONWebKeySet(
            json: fixture.service.sessions.getKeySet(GatewayV1.GetKeySetRequest(), Self.context)
                .jwks.utf8
        )
        guard let key = set.identifiers.first.flatMap({ set[$0] }) else {
            throw ValidationError("no key is published")
        }
        let signed = tokens.map { token in
            let dot = token.lastIndex(of: ".") ?? token.startIndex
            let signature = Base64URL.decode(token[dot...].dropFirst().utf8) ?? []
            return (message: Array(token[..<dot].utf8), signature: signature)
        }
        return Self.perSecond(signed) { key.verifies($0.signature, of: $0.message) }
    }

    private static func perSecond<Element>(
        _ elements: [Element], _ isGood: (Element) throws -> Bool
    ) rethrows -> Double {
        let begin = ContinuousClock.now
        let good = try elements.filter(isGood).count
        precondition(good == elements.count, "a token that is not good measures something else")
        return Double(good) / ((ContinuousClock.now - begin) / .seconds(1))
    }

    private static var context: CallContext {
        CallContext(application: "gateway", deadline: SystemTime().uptime() + .seconds(60))
    }
}
