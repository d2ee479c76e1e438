import Outbound
import Testing

@testable import IdentityService

@Suite("How long a key set is cached")
struct JWKSLifeTests {
    @Test(
        "Cache-Control and Age set a key set's life, within its bounds",
        arguments: [
            (nil, nil, 3_600), ("", nil, 3_600), ("public", nil, 3_600),
            ("public, max-age=20000, must-revalidate", nil, 20_000),
            ("Public,Max-Age=20000", nil, 20_000), ("max-age=\"600\"", nil, 600),
            ("max-age = 600", nil, 600), ("max-age=20000", "5000", 15_000),
            ("max-age=20000", "nonsense", 20_000), ("max-age=20000", "99999999999999999999", 300),
            ("max-age=0", nil, 300), ("max-age=299", nil, 300), ("max-age=300", nil, 300),
            ("max-age=86400", nil, 86_400), ("max-age=86401", nil, 86_400),
            ("max-age=99999999999999999999999", nil, 86_400), ("max-age=-1", nil, 3_600),
            ("max-age=", nil, 3_600), ("max-age=1e5", nil, 3_600), ("s-maxage=900", nil, 3_600),
            ("no-store", nil, 300), ("no-cache, max-age=20000", nil, 300),
            ("NO-STORE", nil, 300),
        ] as [(String?, String?, Int)])
    func lives(control: String?, age: String?, seconds: Int) {
        let fields = [("Cache-Control", control), ("Age", age)].compactMap { name, value in
            value.map { (name: name, value: $0) }
        }
        #expect(JWKSFetcher.JWKSLife.of(HTTPFields(fields)) == .seconds(seconds))
    }
}
