import Foundation
import Testing

/// The gateway's public methods, read from the protos, so that none is forgotten.
enum PublicMethods {
    /// A method of a proto.
    struct Method: Hashable, Sendable {
        /// `Service/Method`.
        let name: String
        var isIdempotent = false
        /// The value of its option `session`; empty without one.
        var session = ""
    }

    /// The methods of the gateway's protos, read once.
    private static let all = Result { try texts().flatMap(methods) }

    /// The mutating methods: all that are not marked idempotent, each as `Service/Method`.
    static func mutating() throws -> [String] {
        try all.get().filter { !$0.isIdempotent }.map(\.name)
    }

    /// The methods that are marked idempotent, each as `Service/Method`.
    static func idempotent() throws -> [String] {
        try all.get().filter(\.isIdempotent).map(\.name)
    }

    /// The page for developers of apps.
    static func page() throws -> String {
        try String(contentsOfFile: "\(folder)/README.md", encoding: .utf8)
    }

    /// The option `session` of each method, by its `Service/Method`.
    static func rules() throws -> [String: String] {
        Dictionary(uniqueKeysWithValues: try all.get().map { ($0.name, $0.session) })
    }

    /// The mutating methods of one file.
    static func mutating(in text: String) -> [String] {
        methods(in: text).filter { !$0.isIdempotent }.map(\.name)
    }

    /// The folder of the gateway's protos and their page.
    private static let folder: String = {
        // This file is Repeats/PublicMethods.swift, possibly reached through a link.
        let file = URL(fileURLWithPath: #filePath).resolvingSymlinksInPath()
        let root = "/" + file.pathComponents.dropFirst().dropLast(4).joined(separator: "/")
        return root + "/Protos/postern/gateway"
    }()

    /// The texts of the gateway's protos.
    private static func texts() throws -> [String] {
        let folder = folder + "/v1"
        return try FileManager.default.contentsOfDirectory(atPath: folder)
            .filter { $0.hasSuffix(".proto") }.sorted()
            .map { try String(contentsOfFile: "\(folder)/\($0)", encoding: .utf8) }
    }

    private static func methods(in text: String) -> [Method] {
        var service = ""
        var methods: [Method] = []
        for line in text.split(separator: "\n") {
            let words = line.split { " ({".contains($0) }
            switch words.first {
            case "service": service = String(words.dropFirst().first ?? "")
            case "rpc": methods.append(Method(name: "\(service)/\(words.dropFirst().first ?? "")"))
            case "option":
                guard let last = methods.indices.last else { continue }
                if line.contains("(postern.options.v1.idempotent) = true") {
                    methods[last].isIdempotent = true
                } else if line.contains("(postern.options.v1.session) = ") {
                    methods[last].session = String(words.last?.dropLast() ?? "")
                }
            default: break
            }
        }
        return methods
    }
}

@Suite("G-25: methods without the idempotent option are mutating")
struct PublicMethodsTests {
    @Test("a method is mutating unless it has the idempotent option; other options do not count")
    func methods() {
        let text = """
            // rpc Comment(A) returns (B);
            service One {
              // First.
              rpc Change(ChangeRequest) returns (ChangeResponse);
              rpc Look(LookRequest) returns (LookResponse) {
                option (postern.options.v1.idempotent) = true;
                option (postern.options.v1.hedge_after_ms) = 100;
              }
              rpc Hash(HashRequest)
                  returns (HashResponse) {
                option (postern.options.v1.costly) = true;
              }
            }
            service Two {
              rpc Add(AddRequest) returns (AddResponse) {}
            }
            """
        #expect(PublicMethods.mutating(in: text) == ["One/Change", "One/Hash", "Two/Add"])
    }
}
