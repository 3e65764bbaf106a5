//! One provider: what discovery found about it, and the two steps of a sign-in.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use openidconnect::core::{
    CoreAuthDisplay, CoreAuthPrompt, CoreAuthenticationFlow, CoreErrorResponseType, CoreGenderClaim,
    CoreJsonWebKey, CoreJweContentEncryptionAlgorithm, CoreJwsSigningAlgorithm, CoreRevocableToken,
    CoreRevocationErrorResponse, CoreTokenIntrospectionResponse, CoreTokenType,
};
use openidconnect::url::Url;
use openidconnect::{
    AdditionalClaims, AuthenticationContextClass, AuthorizationCode, ClaimsVerificationError, Client,
    ClientId, ClientSecret, CsrfToken, EmptyExtraTokenFields, EndpointMaybeSet, EndpointNotSet, EndpointSet,
    IdTokenFields, IdTokenVerifier, IssuerUrl, LogoutRequest, Nonce, OAuth2TokenResponse, PkceCodeChallenge,
    PkceCodeVerifier, PostLogoutRedirectUrl, ProviderMetadataWithLogout, RedirectUrl, RequestTokenError,
    Scope, SignatureVerificationError, StandardErrorResponse, StandardTokenResponse, TokenResponse,
};
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

use super::claims::{Claims, is_strong_enough};
use super::settings::OpenIdProvider;
use crate::access::ProvenPerson;
use crate::http_client::{HttpClient, HttpError};
use crate::limits;

/// All claims that the standard does not name.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
struct OtherClaims(BTreeMap<String, Json>);

impl AdditionalClaims for OtherClaims {}

type Fields = IdTokenFields<
    OtherClaims,
    EmptyExtraTokenFields,
    CoreGenderClaim,
    CoreJweContentEncryptionAlgorithm,
    CoreJwsSigningAlgorithm,
>;
type Tokens = StandardTokenResponse<Fields, CoreTokenType>;
type ProviderClient = Client<
    OtherClaims,
    CoreAuthDisplay,
    CoreGenderClaim,
    CoreJweContentEncryptionAlgorithm,
    CoreJsonWebKey,
    CoreAuthPrompt,
    StandardErrorResponse<CoreErrorResponseType>,
    Tokens,
    CoreTokenIntrospectionResponse,
    CoreRevocableToken,
    CoreRevocationErrorResponse,
    EndpointSet,
    EndpointNotSet,
    EndpointNotSet,
    EndpointNotSet,
    EndpointMaybeSet,
    EndpointMaybeSet,
>;

/// Algorithms of ID tokens. Without `none`, and without those that sign with the client's secret:
/// then a token signed with a public key as if that were a secret is refused too.
const ALGORITHMS: [CoreJwsSigningAlgorithm; 9] = [
    CoreJwsSigningAlgorithm::RsaSsaPkcs1V15Sha256,
    CoreJwsSigningAlgorithm::RsaSsaPkcs1V15Sha384,
    CoreJwsSigningAlgorithm::RsaSsaPkcs1V15Sha512,
    CoreJwsSigningAlgorithm::RsaSsaPssSha256,
    CoreJwsSigningAlgorithm::RsaSsaPssSha384,
    CoreJwsSigningAlgorithm::RsaSsaPssSha512,
    CoreJwsSigningAlgorithm::EcdsaP256Sha256,
    CoreJwsSigningAlgorithm::EcdsaP384Sha384,
    CoreJwsSigningAlgorithm::EdDsa,
];

/// What a browser that was sent to the provider comes back with, or what is kept of it meanwhile.
#[derive(Clone, Deserialize, Serialize)]
pub struct SignInSecrets {
    /// Comes back in the address.
    pub state: String,
    /// Comes back in the ID token.
    pub nonce: String,
    /// Proves to the provider that the code is exchanged by whoever asked for it (RFC 7636).
    pub verifier: String,
}

/// Why somebody was not signed in.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ProviderError {
    /// The provider was not reached or its answer makes no sense.
    Unavailable(String),
    /// The provider refused the code.
    Refused(String),
    /// The ID token or the user info is not valid.
    Invalid(String),
    /// The provider has authenticated the person in another way than the settings ask for.
    TooWeak,
    /// The person is in none of the groups that may sign in.
    NotInGroup,
}

impl fmt::Display for ProviderError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ProviderError::Unavailable(reason) => write!(f, "the provider cannot be used now: {reason}"),
            ProviderError::Refused(reason) => write!(f, "the provider refused the sign-in: {reason}"),
            ProviderError::Invalid(reason) => write!(f, "the provider's answer is not valid: {reason}"),
            ProviderError::TooWeak => f.write_str("the provider has not checked enough factors (acr, amr)"),
            ProviderError::NotInGroup => f.write_str("not a member of a group that may sign in"),
        }
    }
}

/// A provider. Its functions block while they send requests.
pub struct Provider {
    pub settings: OpenIdProvider,
    issuer: IssuerUrl,
    secret: Option<ClientSecret>,
    known: Mutex<Known>,
}

/// What is known about a provider.
#[derive(Default)]
struct Known {
    metadata: Option<(Arc<ProviderMetadataWithLogout>, Instant)>,
    /// When it was last asked again because of an unknown key.
    refreshed: Option<Instant>,
    failure: Option<(ProviderError, Instant)>,
}

impl Provider {
    /// Reads the secret of a provider. Sends nothing: the provider may start later than this server.
    ///
    /// # Errors
    /// A message about a wrong setting.
    pub fn new(settings: OpenIdProvider) -> Result<Provider, String> {
        settings.check()?;
        let issuer = IssuerUrl::new(settings.issuer.clone()).expect("checked to be a URL");
        let secret = settings.secret()?.map(ClientSecret::new);
        Ok(Provider { settings, issuer, secret, known: Mutex::default() })
    }

    /// The address of the provider's sign-in page.
    ///
    /// # Errors
    /// When discovery fails.
    pub fn sign_in_url(
        &self,
        http: &HttpClient,
        redirect: &str,
        secrets: &SignInSecrets,
    ) -> Result<Url, ProviderError> {
        let metadata = self.metadata(http, None)?;
        let client = self.client(&metadata, redirect)?;
        let verifier = PkceCodeVerifier::new(secrets.verifier.clone());
        let (state, nonce) = (secrets.state.clone(), secrets.nonce.clone());
        let request = client.authorize_url(
            CoreAuthenticationFlow::AuthorizationCode,
            move || CsrfToken::new(state),
            move || Nonce::new(nonce),
        );
        let scopes = self.settings.scopes.iter().cloned().map(Scope::new);
        let challenge = PkceCodeChallenge::from_code_verifier_sha256(&verifier);
        let classes = self.settings.acr_values.iter().cloned().map(AuthenticationContextClass::new);
        let request = classes.fold(request, |request, class| request.add_auth_context_value(class));
        Ok(request.add_scopes(scopes).set_pkce_challenge(challenge).url().0)
    }

    /// Exchanges the code, checks the ID token, and says who signed in.
    ///
    /// # Errors
    /// When the provider is not reached or refuses the code, when the token is not valid, or when the
    /// person may not sign in.
    pub fn person(
        &self,
        http: &HttpClient,
        redirect: &str,
        secrets: &SignInSecrets,
        code: String,
    ) -> Result<ProvenPerson, ProviderError> {
        let mut metadata = self.metadata(http, None)?;
        let client = self.client(&metadata, redirect)?;
        let tokens = client
            .exchange_code(AuthorizationCode::new(code))
            .map_err(|error| ProviderError::Unavailable(error.to_string()))?
            .set_pkce_verifier(PkceCodeVerifier::new(secrets.verifier.clone()))
            .request(&|request| http.send(request))
            .map_err(token_error)?;
        let token = tokens.id_token().ok_or_else(|| invalid("there is no ID token"))?;
        let nonce = Nonce::new(secrets.nonce.clone());
        let mut claims = token.claims(&self.verifier(&metadata), &nonce);
        if is_unknown_key(&claims) {
            // Providers change their keys. The old answer is used when this asks too often.
            metadata = self.metadata(http, Some(&metadata))?;
            claims = token.claims(&self.verifier(&metadata), &nonce);
        }
        let claims = claims.map_err(|error| invalid(describe(&error)))?;
        if claims.authorized_party().is_some_and(|party| party.as_str() != self.settings.client_id) {
            return Err(invalid("the ID token is for another client (azp)"));
        }
        let subject = claims.subject().clone();
        let as_json = |claims| serde_json::to_value(claims).expect("claims are JSON");
        let claims = as_json(claims);
        if !is_strong_enough(&claims, &self.settings) {
            return Err(ProviderError::TooWeak);
        }
        let mut found = Claims::new(&claims, &self.settings.groups_claim);
        if found.is_incomplete(&self.settings) && metadata.userinfo_endpoint().is_some() {
            // The access token goes into a header; openidconnect panics for one that cannot.
            if !tokens.access_token().secret().bytes().all(|byte| byte.is_ascii_graphic()) {
                return Err(invalid("the access token has characters that no token has"));
            }
            let info: openidconnect::UserInfoClaims<OtherClaims, CoreGenderClaim> = self
                .client(&metadata, redirect)?
                .user_info(tokens.access_token().clone(), Some(subject.clone()))
                .map_err(|error| ProviderError::Unavailable(error.to_string()))?
                .request(&|request| http.send(request))
                .map_err(|error| invalid(format!("user info: {}", describe(&error))))?;
            let info = serde_json::to_value(&info).expect("claims are JSON");
            found = found.or(Claims::new(&info, &self.settings.groups_claim));
        }
        found.person(&self.settings, subject.as_str()).ok_or(ProviderError::NotInGroup)
    }

    /// The address that ends the session at the provider too, if it has one (OpenID Connect
    /// RP-Initiated Logout 1.0). `back` is where the provider may send the browser afterwards.
    ///
    /// # Errors
    /// When discovery fails.
    pub fn sign_out_url(&self, http: &HttpClient, back: &str) -> Result<Option<Url>, ProviderError> {
        let metadata = self.metadata(http, None)?;
        let Some(end) = metadata.additional_metadata().end_session_endpoint.clone() else { return Ok(None) };
        let back = PostLogoutRedirectUrl::new(back.to_owned())
            .map_err(|error| ProviderError::Unavailable(error.to_string()))?;
        // Without the ID token as a hint: it would have to be kept, and has personal data.
        let request = LogoutRequest::from(end)
            .set_client_id(ClientId::new(self.settings.client_id.clone()))
            .set_post_logout_redirect_uri(back);
        Ok(Some(request.http_get_url()))
    }

    fn client(
        &self,
        metadata: &ProviderMetadataWithLogout,
        redirect: &str,
    ) -> Result<ProviderClient, ProviderError> {
        let redirect = RedirectUrl::new(redirect.to_owned())
            .map_err(|error| ProviderError::Unavailable(error.to_string()))?;
        let id = ClientId::new(self.settings.client_id.clone());
        let client = ProviderClient::from_provider_metadata(metadata.clone(), id, self.secret.clone());
        Ok(client.set_redirect_uri(redirect))
    }

    /// Checks signature, issuer, audience, expiry and nonce.
    fn verifier(&self, metadata: &ProviderMetadataWithLogout) -> IdTokenVerifier<'static, CoreJsonWebKey> {
        let id = ClientId::new(self.settings.client_id.clone());
        // Never with the client's secret, see `ALGORITHMS`.
        IdTokenVerifier::new_public_client(id, self.issuer.clone(), metadata.jwks().clone())
            .set_allowed_algs(ALGORITHMS)
    }

    /// What discovery found, asked again after [`limits::PROVIDER_METADATA_SECONDS_MAX`]. With
    /// `stale` it is asked again if it is that, but at most every
    /// [`limits::PROVIDER_METADATA_SECONDS_MIN`].
    fn metadata(
        &self,
        http: &HttpClient,
        stale: Option<&Arc<ProviderMetadataWithLogout>>,
    ) -> Result<Arc<ProviderMetadataWithLogout>, ProviderError> {
        // Held while asking: others wait for the same answer.
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((metadata, at)) = &known.metadata {
            let is_stale = stale.is_some_and(|stale| Arc::ptr_eq(stale, metadata));
            let is_due = match is_stale {
                true => known.refreshed.is_none_or(|at| is_past(at, limits::PROVIDER_METADATA_SECONDS_MIN)),
                false => is_past(*at, limits::PROVIDER_METADATA_SECONDS_MAX),
            };
            if !is_due {
                return Ok(Arc::clone(metadata));
            }
            if is_stale {
                known.refreshed = Some(Instant::now());
            }
        }
        if let Some((error, at)) = &known.failure
            && !is_past(*at, limits::PROVIDER_FAILURE_SECONDS)
        {
            return Err(error.clone());
        }
        match ProviderMetadataWithLogout::discover(&self.issuer, &|request| http.send(request)) {
            Ok(metadata) => {
                let metadata = Arc::new(metadata);
                known.metadata = Some((Arc::clone(&metadata), Instant::now()));
                known.failure = None;
                Ok(metadata)
            }
            Err(error) => {
                let error = ProviderError::Unavailable(format!("discovery: {}", describe(&error)));
                known.failure = Some((error.clone(), Instant::now()));
                Err(error)
            }
        }
    }
}

fn is_past(moment: Instant, seconds: u64) -> bool {
    moment.elapsed() >= Duration::from_secs(seconds)
}

fn invalid(reason: impl Into<String>) -> ProviderError {
    ProviderError::Invalid(reason.into())
}

fn is_unknown_key<T>(claims: &Result<T, ClaimsVerificationError>) -> bool {
    use SignatureVerificationError::NoMatchingKey;
    matches!(claims, Err(ClaimsVerificationError::SignatureVerification(NoMatchingKey)))
}

fn token_error(
    error: RequestTokenError<HttpError, StandardErrorResponse<CoreErrorResponseType>>,
) -> ProviderError {
    match error {
        // The code of RFC 6749, 5.2, without the description: that is for the log of the provider.
        RequestTokenError::ServerResponse(response) => {
            ProviderError::Refused(format!("{:?}", response.error().as_ref()))
        }
        RequestTokenError::Request(error) => ProviderError::Unavailable(describe(&error)),
        // Such as an ID token that is no token.
        RequestTokenError::Parse(error, _) => invalid(format!("token response: {error}")),
        RequestTokenError::Other(reason) => ProviderError::Unavailable(reason),
    }
}

/// An error with its causes.
fn describe(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text = format!("{text}: {error}");
        cause = error.source();
    }
    text
}
