import Contracts
import Cryptography
import ServiceRuntime
import Testing

@Suite("I-10: what an account's claims may be")
struct AccountClaimsTests {
    private func fault(_ roles: [String], _ json: String) -> [String] {
        do throws(ServiceError) {
            _ = try AccountClaims.checked(roles: roles, json: json)
            return []
        } catch {
            return error.code == .invalidArgument ? error.fields : ["another code"]
        }
    }

    @Test("I-10: roles and claims are kept in the backend's order, without white space")
    func accepted() throws {
        let claims = try AccountClaims.checked(
            roles: ["admin", "a-z_0.9:x"],
            json: #" { "team" : "bl\u0075e\/" , "n" : 1.50 , "deep":[{"a":null}] } "#)
        #expect(claims.roles == ["admin", "a-z_0.9:x"])
        #expect(claims.json == #"{"team":"blue/","n":1.50,"deep":[{"a":null}]}"#)
        #expect(AccountClaims(sent: claims.roles, json: claims.json) == claims)
        for empty in ["", "{}", " { } "] {
            let none = try AccountClaims.checked(roles: [], json: empty)
            #expect(none.isEmpty && none == AccountClaims())
        }
    }

    @Test(
        "a role is a word of a-z, 0-9 and - _ . :, named once",
        arguments: [
            ["Admin"], [""], ["a b"], ["a\n"], ["é"], ["a", "a"], ["\u{212A}"], ["a/b"],
            (0..<33).map { "r\($0)" },
        ])
    func badRoles(roles: [String]) {
        #expect(fault(roles, "") == ["roles"])
        #expect(AccountClaims(sent: roles, json: "") == nil)
        #expect(AccountClaims.imported(roles: roles, json: "") == nil)
    }

    @Test("32 roles are accepted")
    func mostRoles() { #expect(fault((0..<32).map { "r\($0)" }, "") == []) }

    @Test("no claim has a name that a token has already")
    func reserved() {
        for name in ExtraClaims.reserved.sorted() + ["roles", ""] {
            let json = "{\"\(name)\":\"x\"}"
            #expect(fault([], json) == ["claims_json"], "\(name)")
            #expect(AccountClaims(sent: [], json: json) == nil, "\(name)")
        }
        // An escaped name is the same name.
        #expect(fault([], #"{"s\u0075b":"x"}"#) == ["claims_json"])
        #expect(fault([], #"{"a":{"sub":"x"}}"#) == [], "inside another claim it has no meaning")
    }

    @Test(
        "what is no object, or another one for another parser, is refused",
        arguments: [
            "[]", "1", "\"a\"", "{", "{} x", #"{"a":1,"a":2}"#, #"{"a":"\u0000"}"#,
            #"{"a":9223372036854775808}"#, #"{"a":1e400}"#, #"{"a":NaN}"#,
            String(repeating: #"{"a":"#, count: 17) + "1" + String(repeating: "}", count: 17),
        ])
    func badJSON(json: String) { #expect(fault([], json) == ["claims_json"]) }

    @Test("roles and claims have 1,000 bytes together, as a token has them")
    func size() {
        func json(_ count: Int) -> String {
            "{\"t\":\"\(String(repeating: "x", count: count))\"}"
        }
        #expect(fault(["r"], json(978)) == [])
        #expect(fault(["r"], json(979)) == ["claims_json"])
        #expect(fault([], json(992)) == [])
        #expect(fault([], json(993)) == ["claims_json"])
    }

    @Test("claims of another system lose the names that a token has, and are counted")
    func imported() throws {
        let text = #"{"admin":true,"sub":"x","roles":["y"],"acr":"aal2","n":12345678901234567890}"#
        let read = try #require(AccountClaims.imported(roles: ["r"], json: text))
        #expect(read.claims.json == #"{"admin":true,"n":12345678901234567890}"#)
        #expect(read.claims.roles == ["r"] && read.leftOut == 3)
        let none = try #require(AccountClaims.imported(json: #"{"sub":"x"}"#))
        #expect(none.claims.isEmpty && none.leftOut == 1)
        #expect(AccountClaims.imported(json: "[]") == nil)
        #expect(AccountClaims(sent: ["r"], json: read.claims.json) == read.claims)
    }
}
