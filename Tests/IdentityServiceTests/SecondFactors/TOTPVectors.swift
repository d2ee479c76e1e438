// Made by make_totp_vectors.py; do not edit.

/// Codes and addresses of authenticator apps, by other implementations.
enum TOTPVectors {
    /// SHA-256 of the codes of each hundred secrets, in base 16.
    static let hashes = [
        "5897e0c36f43601b4abaa481de22f8cfdfd932dc63b8dcb3adbd114aad046c96",
        "f41dd07b63342f50288d1e682dc571ee972777720eb5a3cbe643ccdfa653b462",
        "a6b05a658789ee05691c780212b8cc380a4709e309cc2ff0d7e93b2566dcee6f",
        "bf62287a430214d24eea25f43f4910f2128ce81940e381b0b36bd9730ff879e3",
        "9c7fc482d84755a0f6f772f031f2097596f09539041d43141403888ed621e14f",
        "1820912a4951aba45a29439529856fb69a529b7eea551e579730f33cc1714b7e",
        "228661dd7f88d5259b7a70f5c2227ccc5a871de145012ddd8cd20d0d372749ff",
        "7debdc715c673978bc8a55217940a3b6dde2accc0e0d30e095fc9745959287a8",
        "251532db31fe91963b0ef7f2f43c7fa60f5ed63e05be0be05ce0b29567d3ce7b",
        "7714235e51b7536b1b32105f7b6baa4d79d0c5c971f1ed12e4627c0e8e8c74ed",
    ]
    /// The secret of all addresses, in base 32.
    static let secret = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"
    /// The names of an app and an account, and their address.
    static let addresses: [(app: String, account: String, uri: String)] = [
        (
            app: #"Postern"#, account: #"ada@example.org"#,
            uri: #"otpauth://totp/Postern:ada%40example.org?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3T"#
                + #"QOJQ&issuer=Postern&algorithm=SHA1&digits=6&period=30"#
        ),
        (
            app: #"Tea & Cake + 1"#, account: #"ada@example.org"#,
            uri: #"otpauth://totp/Tea%20%26%20Cake%20%2B%201:ada%40example.org?secret=GEZDGNBVG"#
                + #"Y3TQOJQGEZDGNBVGY3TQOJQ&issuer=Tea%20%26%20Cake%20%2B%201&algorithm=SHA1&dig"#
                + #"its=6&period=30"#
        ),
        (
            app: #"100 % #1?"#, account: #"ada@example.org"#,
            uri: #"otpauth://totp/100%20%25%20%231%3F:ada%40example.org?secret=GEZDGNBVGY3TQOJQ"#
                + #"GEZDGNBVGY3TQOJQ&issuer=100%20%25%20%231%3F&algorithm=SHA1&digits=6&period=3"#
                + #"0"#
        ),
        (
            app: #"Aé日本 𝒳"#, account: #"ada@example.org"#,
            uri: #"otpauth://totp/A%C3%A9%E6%97%A5%E6%9C%AC%20%F0%9D%92%B3:ada%40example.org?se"#
                + #"cret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=A%C3%A9%E6%97%A5%E6%9C%AC%20%F0"#
                + #"%9D%92%B3&algorithm=SHA1&digits=6&period=30"#
        ),
        (
            app: #"a:b: c"#, account: #"ada@example.org"#,
            uri: #"otpauth://totp/ab%20c:ada%40example.org?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQ"#
                + #"OJQ&issuer=ab%20c&algorithm=SHA1&digits=6&period=30"#
        ),
        (
            app: #"<x y="z">/..//"#, account: #"ada@example.org"#,
            uri: #"otpauth://totp/%3Cx%20y%3D%22z%22%3E%2F..%2F%2F:ada%40example.org?secret=GEZ"#
                + #"DGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=%3Cx%20y%3D%22z%22%3E%2F..%2F%2F&algori"#
                + #"thm=SHA1&digits=6&period=30"#
        ),
        (
            app: #""#, account: #"ada@example.org"#,
            uri: #"otpauth://totp/ada%40example.org?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&alg"#
                + #"orithm=SHA1&digits=6&period=30"#
        ),
        (
            app: #"+%20"#, account: #"ada@example.org"#,
            uri: #"otpauth://totp/%2B%2520:ada%40example.org?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3"#
                + #"TQOJQ&issuer=%2B%2520&algorithm=SHA1&digits=6&period=30"#
        ),
        (
            app: #"Tea & Cake + 1"#, account: #"ada+phone tag@example.org"#,
            uri: #"otpauth://totp/Tea%20%26%20Cake%20%2B%201:ada%2Bphone%20tag%40example.org?se"#
                + #"cret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=Tea%20%26%20Cake%20%2B%201&algo"#
                + #"rithm=SHA1&digits=6&period=30"#
        ),
        (
            app: #"Tea & Cake + 1"#, account: #"o'brien&sons=1@example.org"#,
            uri: #"otpauth://totp/Tea%20%26%20Cake%20%2B%201:o%27brien%26sons%3D1%40example.org"#
                + #"?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=Tea%20%26%20Cake%20%2B%201&a"#
                + #"lgorithm=SHA1&digits=6&period=30"#
        ),
        (
            app: #"Tea & Cake + 1"#, account: #"a:b@例え.jp"#,
            uri: #"otpauth://totp/Tea%20%26%20Cake%20%2B%201:ab%40%E4%BE%8B%E3%81%88.jp?secret="#
                + #"GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=Tea%20%26%20Cake%20%2B%201&algorithm"#
                + #"=SHA1&digits=6&period=30"#
        ),
        (
            app: #"Tea & Cake + 1"#, account: #"+4915112345678"#,
            uri: #"otpauth://totp/Tea%20%26%20Cake%20%2B%201:%2B4915112345678?secret=GEZDGNBVGY"#
                + #"3TQOJQGEZDGNBVGY3TQOJQ&issuer=Tea%20%26%20Cake%20%2B%201&algorithm=SHA1&digi"#
                + #"ts=6&period=30"#
        ),
        (
            app: #"Tea & Cake + 1"#, account: #"acc_0123456789abc"#,
            uri: #"otpauth://totp/Tea%20%26%20Cake%20%2B%201:acc_0123456789abc?secret=GEZDGNBVG"#
                + #"Y3TQOJQGEZDGNBVGY3TQOJQ&issuer=Tea%20%26%20Cake%20%2B%201&algorithm=SHA1&dig"#
                + #"its=6&period=30"#
        ),
        (
            app: #"Tea & Cake + 1"#, account: #"%00?secret=AAAA"#,
            uri: #"otpauth://totp/Tea%20%26%20Cake%20%2B%201:%2500%3Fsecret%3DAAAA?secret=GEZDG"#
                + #"NBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=Tea%20%26%20Cake%20%2B%201&algorithm=SHA1"#
                + #"&digits=6&period=30"#
        ),
        (
            app: #"Tea & Cake + 1"#, account: #"é/#"#,
            uri: #"otpauth://totp/Tea%20%26%20Cake%20%2B%201:%C3%A9%2F%23?secret=GEZDGNBVGY3TQO"#
                + #"JQGEZDGNBVGY3TQOJQ&issuer=Tea%20%26%20Cake%20%2B%201&algorithm=SHA1&digits=6"#
                + #"&period=30"#
        ),
    ]
}
