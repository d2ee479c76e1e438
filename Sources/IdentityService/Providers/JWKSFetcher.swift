import Cryptography
import JSON
import Outbound
import ServiceRuntime

/// Fetches a provider's JWKS once: from its configured URL, or from the URL in the provider's
/// discovery document (OpenID Connect Discovery 1.0, 4).
struct JWKSFetcher: Sendable {
    /// The result of a fetch.
    enum Outcome: Sendable {
        /// At least one usable key, and the lifetime of the set.
        case keys(PublishedKeySet, life: Duration)
        /// No keys; one of our own reason words, for the log.
        case failed(String)
    }

    let location: Provider.JWKSLocation
    let issuer: String
    let client: OutboundClient
    let terms: HTTPTerms
    let allowsPlain: Bool

    func run() async -> Outcome {
        switch location {
        case .at(let url): return await keys(at: url)
        case .described(let url):
            switch await answer(of: url) {
            case .failure(let failure): return .failed("description-\(failure.word)")
            case .success(let response):
                guard let url = jwksLocation(in: response) else { return .failed("description") }
                return await keys(at: url)
            }
        }
    }

    private struct Failure: Error {
        let word: String
    }

    private func keys(at url: HTTPURL) async -> Outcome {
        switch await answer(of: url) {
        case .failure(let failure): return .failed(failure.word)
        case .success(let response):
            do throws(JSONWebKeySetError) {
                let keys = try PublishedKeySet(json: response.body)
                guard !keys.isEmpty else { return .failed("no-usable-key") }
                return .keys(keys, life: JWKSLife.of(response.fields))
            } catch {
                return .failed("key-set")
            }
        }
    }

    private func answer(of url: HTTPURL) async -> Result<HTTPResponse, Failure> {
        switch await client.fetch(HTTPRequest(.get, url, headers: []), terms) {
        case .failed(let failure): return .failure(Failure(word: failure.rawValue))
        case .answered(let response) where response.status == 200: return .success(response)
        case .answered(let response): return .failure(Failure(word: "status-\(response.status)"))
        }
    }

    /// The `jwks_uri` of a discovery document. A document of another issuer is rejected (Discovery,
    /// 4.3): otherwise an attacker who can redirect the request could supply their own keys.
    private func jwksLocation(in response: HTTPResponse) -> HTTPURL? {
        guard
            let object = JSONReader.object(
                in: response.body, membersMax: Self.descriptionMembersMax),
            let said = object["issuer"]?.string, said.utf8.elementsEqual(issuer.utf8)
        else { return nil }
        return object["jwks_uri"]?.string.flatMap { HTTPURL($0, allowsPlain: allowsPlain) }
    }

    /// Members of a discovery document. Those of big providers have about sixty, and grow.
    private static let descriptionMembersMax = 256
}

extension JWKSFetcher {
    /// The lifetime of a fetched JWKS, from the response's header fields (RFC 9111, 4.2 and 5.2.2).
    ///
    /// | header fields | lifetime |
    /// |---|---|
    /// | `cache-control: max-age=N` | N seconds minus `age`, within the bounds |
    /// | `no-store`, `no-cache` | the minimum |
    /// | none, or malformed | one hour |
    enum JWKSLife {
        /// The minimum, whatever the provider sends: a sign-in waits for at most one scheduled
        /// fetch in this time.
        static let least: Duration = .seconds(300)
        /// The maximum, whatever the provider sends. It bounds how long a withdrawn key is
        /// accepted.
        static let most: Duration = .seconds(24 * 3_600)
        /// Used when the response has no lifetime.
        static let standard: Duration = .seconds(3_600)

        static func of(_ fields: HTTPFields) -> Duration {
            let directives = (fields["cache-control"] ?? "").split(separator: ",").map(Self.trimmed)
            if directives.contains("no-store") || directives.contains("no-cache") { return least }
            guard let directive = directives.first(where: { $0.hasPrefix("max-age=") }) else {
                return standard
            }
            let text = directive.dropFirst("max-age=".count).filter { $0 != "\"" }
            guard let seconds = number(text) else { return standard }
            let age = fields["age"].flatMap { number($0) } ?? 0
            return min(max(.seconds(seconds) - .seconds(age), least), most)
        }

        /// Parses digits. Values above one year in seconds are reduced to it, since `most` is
        /// smaller anyway.
        private static func number(_ text: String) -> Int64? {
            guard !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
                return nil
            }
            return min(Int64(text) ?? .max, 365 * 86_400)
        }

        private static func trimmed(_ text: Substring) -> String {
            String(text.filter { $0 != " " && $0 != "\t" }).lowercased()
        }
    }
}
