/// A certificate authority and a server certificate for 127.0.0.1 and localhost, made with the openssl program.
package struct TestCertificate: Sendable {
    /// PEM files.
    package let authority: String
    package let certificate: String
    package let key: String

    private init(authority: String, certificate: String, key: String) {
        self.authority = authority
        self.certificate = certificate
        self.key = key
    }

    /// The authority's own certificate as a server's: signed by nobody else.
    package var selfSigned: TestCertificate {
        let key = authority.replacing(".pem", with: ".key")
        return TestCertificate(authority: authority, certificate: authority, key: key)
    }

    /// Makes them in a directory.
    ///
    /// - Parameters:
    ///   - host: a name that the certificate is for as well.
    ///   - isExpired: whether its time is over.
    package init(in directory: TemporaryDirectory, host: String? = nil, isExpired: Bool = false) throws {
        authority = directory.path("authority.pem")
        certificate = directory.path("server.pem")
        key = directory.path("server.key")
        let authorityKey = directory.path("authority.key")
        let request = directory.path("server.csr")
        let names = try directory.write(
            "subjectAltName=IP:127.0.0.1,DNS:localhost\(host.map { ",DNS:\($0)" } ?? "")\n", to: "names.txt")
        let newKey = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"]
        try Subprocess.run(
            ["openssl", "req", "-x509"] + newKey
                + ["-keyout", authorityKey, "-out", authority, "-days", "2", "-subj", "/CN=Test Authority"])
        try Subprocess.run(
            ["openssl", "req"] + newKey + ["-keyout", key, "-out", request, "-subj", "/CN=localhost"])
        try Subprocess.run([
            "openssl", "x509", "-req", "-in", request, "-CA", authority, "-CAkey", authorityKey, "-CAcreateserial",
            "-out", certificate, "-days", isExpired ? "-1" : "2", "-extfile", names,
        ])
    }
}
